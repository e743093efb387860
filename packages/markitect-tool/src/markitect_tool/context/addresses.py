"""Which Internet addresses are public: the ones that a context file may make this machine talk to."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_network

# `ipaddress` calls these global, or does so in some of the supported versions of Python.
_MORE_REFUSED = {
    "reserved for protocols": ip_network("192.0.0.0/24"),
    "a metadata service": ip_network("168.63.129.16/32"),
    "IPv6 relayed over IPv4": ip_network("192.88.99.0/24"),
    "private translation": ip_network("64:ff9b:1::/48"),
    "a discard prefix": ip_network("100::/64"),
    "segment routing": ip_network("5f00::/16"),
    "documentation": ip_network("3fff::/20"),
}
_TRANSLATED = ip_network("64:ff9b::/96")


def not_public(address: IPv4Address | IPv6Address) -> str | None:
    """Why `address` is refused, in a few words; None for one of the public Internet.

    Loopback, private, link-local, shared (CGNAT), multicast, reserved and cloud metadata addresses are refused, and
    so are IPv6 forms that carry such an IPv4 address.
    """
    if isinstance(address, IPv6Address):
        carried = _carried(address)
        if carried is not None:
            inner = not_public(carried)
            return f"{inner} (as {carried})" if inner else None
        if address.is_site_local:
            return "site-local"
    if address.is_loopback:
        return "loopback"
    if address.is_link_local:
        return "link-local"
    if address.is_multicast:
        return "multicast"
    if address.is_unspecified:
        return "unspecified"
    for what, network in _MORE_REFUSED.items():
        if address in network:
            return what
    if not address.is_global:
        return "private or shared"
    return "reserved" if address.is_reserved else None


def _carried(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that packets to `address` end up at: mapped, 6to4, Teredo, translated or compatible."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    number = int(address)
    compatible = 1 < number < 1 << 32  # the obsolete `::a.b.c.d`
    return IPv4Address(number & 0xFFFFFFFF) if compatible or address in _TRANSLATED else None
