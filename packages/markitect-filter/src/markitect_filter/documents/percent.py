"""Percent-encoding (RFC 3986, section 2.1) as sources have it."""


def percent_decode(text: str) -> str:
    """`text` with its percent escapes decoded once, as UTF-8 or, where they are not, as Latin-1."""
    if "%" not in text:
        return text
    from urllib.parse import unquote_to_bytes  # imported late: few books escape anything

    data = unquote_to_bytes(text)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
