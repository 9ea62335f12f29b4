"""A host's URL as the fields of its kind, and back. No Qt here.

Not every URL has such fields: one with options, or of a kind for tests, stands in its own line only.
"""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from app.wizard.input_parsing import HOST_PLACEHOLDER

HERE = "here"  # of the field `where`; any other value is another computer, over ssh
SSH = "ssh"

FIELDS: Mapping[str, tuple[str, ...]] = {
    "local": (),
    "sim": ("scheduler", "noise", "seed", "file"),
    "xen": ("where", "host", "user", "port"),
    "xapi": ("host", "user", "port"),
    "libvirt": ("runs", "where", "host", "user", "port"),
}
DEFAULTS = {"where": SSH, "user": "root", "runs": "qemu"}

_KIND_OF = {
    "local": "local",
    "sim": "sim",
    "xl": "xen",
    "xl+ssh": "xen",
    "xapi": "xapi",
    **{f"{driver}{way}": "libvirt" for driver in ("qemu", "lxc", "xen") for way in ("", "+ssh", "+tls", "+tcp")},
}
_OPTIONS = ("scheduler", "noise", "seed")
_AWAY = ("host", "user", "port")  # fields that mean nothing on this computer


def host_kind_of(url: str) -> str:
    """Return the kind of host that a URL begins with, a key of `FIELDS`; empty for any other."""
    scheme, colon, _ = url.strip().partition(":")
    return _KIND_OF.get(scheme.lower(), "") if colon else ""


def fields_of(kind: str, values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the fields that a kind has while these values stand in them."""
    here = values.get("where") == HERE
    return tuple(name for name in FIELDS.get(kind, ()) if not (here and name in _AWAY))


def url_of(kind: str, values: Mapping[str, str]) -> str:
    """Return the URL that the fields of a kind mean; the host's place holder where no host is named."""
    given = {name: values.get(name, "").strip() for name in FIELDS[kind]}
    here = given.get("where") == HERE
    match kind:
        case "sim":
            options = "&".join(f"{name}={given[name]}" for name in _OPTIONS if given[name])
            return f"sim:{given['file']}{'?' if options else ''}{options}"
        case "xen":
            return "xl:" if here else f"xl+ssh://{_join_address(given)}"
        case "xapi":
            return f"xapi://{_join_address(given)}"
        case "libvirt":
            return f"{given['runs']}:///system" if here else f"{given['runs']}+ssh://{_join_address(given)}/system"
        case _:
            return f"{kind}:"


def values_of(url: str) -> dict[str, str] | None:
    """Return what the fields of its kind show of a URL; None when they cannot show all of it."""
    text, kind = url.strip(), host_kind_of(url)
    if not kind:
        return None
    values = _parse_simulated(text) if kind == "sim" else _parse_reached(text, kind)
    return values if values is not None and _is_same_url(text, url_of(kind, values)) else None


def _parse_simulated(text: str) -> dict[str, str] | None:
    file, _, query = text.removeprefix("sim:").partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    if len(dict(pairs)) < len(pairs) or set(dict(pairs)) - set(_OPTIONS):
        return None
    return {**dict.fromkeys(_OPTIONS, ""), **dict(pairs), "file": file}


def _parse_reached(text: str, kind: str) -> dict[str, str] | None:
    if set("?#") & set(text):
        return None
    scheme, _, rest = text.partition(":")
    driver, _, way = scheme.partition("+")
    place = rest.removeprefix("//").partition("/")[0]
    before, at, address = place.rpartition("@")
    if ":" in before or (at and not before):  # a password: nothing of it is shown
        return None
    host, port = _split_address(address)
    values = {"runs": driver, "where": SSH if way else HERE, "user": before, "port": port}
    values["host"] = "" if host == HOST_PLACEHOLDER else host
    return {name: values[name] for name in FIELDS[kind]}


def _split_address(address: str) -> tuple[str, str]:
    """Return host and port; an IPv6 address stands in brackets."""
    if address.startswith("["):
        host, _, after = address[1:].partition("]")
        return host, after.removeprefix(":")
    host, _, port = address.partition(":")
    return host, port


def _join_address(given: Mapping[str, str]) -> str:
    host = given["host"] or HOST_PLACEHOLDER
    address = f"[{host}]" if ":" in host else host
    user = f"{given['user']}@" if given["user"] else ""
    port = f":{given['port']}" if given["port"] else ""
    return f"{user}{address}{port}"


def _is_same_url(one: str, other: str) -> bool:
    """Return whether two URLs are the same but for the order of their options."""
    (start, _, query), (other_start, _, other_query) = one.partition("?"), other.partition("?")
    return start == other_start and sorted(query.split("&")) == sorted(other_query.split("&"))
