"""Which members of a book are encrypted, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from markitect_tool.record import Record, field

from markitect_filter.epub3.container.unpack import EncryptedMemberError

Scheme = Literal["adobe-adept", "readium-lcp", "apple-fairplay", "unknown"]

SCHEME_NAMES: Mapping[Scheme, str] = {
    "adobe-adept": "Adobe ADEPT",
    "readium-lcp": "Readium LCP",
    "apple-fairplay": "Apple FairPlay",
    "unknown": "an unknown scheme",
}


class Protection(Record):
    """How one member is encrypted."""

    algorithm: str
    """URI of the encryption algorithm, "" when the file names none."""
    scheme: Scheme


class Encryption(Record):
    """What a book says about its encrypted members. Keys are member paths."""

    protected: Mapping[str, Protection] = field(default_factory=dict)
    """Members that cannot be read without a key."""
    obfuscated: Mapping[str, str] = field(default_factory=dict)
    """Members that are only obfuscated (fonts), with the algorithm's URI."""
    rights: bool = False
    """The book has a `META-INF/rights.xml`; by itself that protects nothing."""

    @property
    def scheme(self) -> Scheme | None:
        """The scheme of the protected members; None when nothing is protected."""
        schemes = sorted({protection.scheme for protection in self.protected.values()})
        return schemes[0] if schemes else None  # "unknown" sorts last, so a known one is named

    def check(self, name: str) -> None:
        """Raises `EncryptedMemberError` when the member `name` is protected."""
        protection = self.protected.get(name)
        if protection is not None:
            raise EncryptedMemberError(
                f"{name} is encrypted with {SCHEME_NAMES[protection.scheme]}",
                path=name,
                scheme=protection.scheme,
                algorithm=protection.algorithm,
            )
