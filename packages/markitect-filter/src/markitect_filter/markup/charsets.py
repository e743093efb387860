"""Names of charsets to Python's codecs, as the Encoding Standard reads them (https://encoding.spec.whatwg.org/).

Its names mean what their users write, not what their registration says: `iso-8859-1` is windows-1252, since nobody
writes the C1 controls that Latin-1 has in the place of quotes and dashes, and `gb2312`, `shift_jis`, `euc-kr` and
`big5` are the larger sets that grew out of them.
"""

from __future__ import annotations

import codecs
import re

_GROWN = {  # Python's name of a codec -> the codec that the standard decodes it with
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "cp950",
}
_LABELS = {  # labels that Python has no alias for and no rule below makes one of
    "cn-big5": "cp950",
    "csgb2312": "gb18030",
    "gb_2312": "gb18030",
    "gb_2312-80": "gb18030",
    "windows-31j": "cp932",
    "ks_c_5601-1989": "cp949",
    "ksc_5601": "cp949",
    "cseuckr": "cp949",
    "cseucpkdfmtjapanese": "euc_jp",
    "csisolatin9": "iso8859-15",
    "koi": "koi8-r",
    "koi8": "koi8-r",
    "koi8-ru": "koi8-u",
    "mac": "mac-roman",
    "csmacintosh": "mac-roman",
}
_EXPERIMENTAL = re.compile(r"^(?:x-)+")  # x-sjis, x-cp1251, x-mac-cyrillic
_CODE_PAGE = re.compile(r"^(?:windows|dos)-(?=\d+$)")  # windows-949
_ISO = re.compile(r"^iso-?_?8859-?(\d+)(?:-[ei])?$")  # iso88592, iso-8859-8-i
_TEXT_CODECS = re.compile(  # Python has codecs that are not charsets at all (rot13, zip, unicode_escape)
    r"utf-8|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|hz"
    r"|euc_\w+|shift_jis\w+|iso2022_\w+|gb18030|big5\w*|johab|ptcp154|kz1048"
)


def codec_for(label: str) -> str | None:
    """Python's codec for a declared label; None when it names no charset that ASCII can be read in.

    UTF-16 and UTF-32 are such: the declaration could not be read one byte at a time if it were true.
    """
    label = label.strip().lower()
    if label in _LABELS:
        return _LABELS[label]
    plain = _EXPERIMENTAL.sub("", label)
    for name in (label, plain, _CODE_PAGE.sub("cp", plain), _ISO.sub(r"iso8859-\1", plain)):
        try:
            found = codecs.lookup(name).name
        except LookupError:
            continue
        found = _GROWN.get(found, found)
        return found if _TEXT_CODECS.fullmatch(found) else None
    return None
