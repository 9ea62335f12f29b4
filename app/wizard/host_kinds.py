"""Conversion between a host's URL and the fields of its kind.

URLs with other options, and URLs of kinds for tests, have no fields. The page shows such URLs only as text.
"""

from collections.abc import Mapping
from urllib.parse import SplitResult, parse_qsl, urlsplit

from app.wizard.input_parsing import HOST_PLACEHOLDER
from scheduler.model.host_kinds import AWAY_FIELDS, HOST_KINDS, SIMULATION_OPTIONS, HostKind, find_host_kind
from scheduler.translation import _

HERE = "here"  # value of the field `where` for this computer; `SSH` for another one
SSH = "ssh"


OFFERED_KINDS = {key: kind for key, kind in HOST_KINDS.items() if kind.example}
"""Key to kind of host of the wizard's cards."""

_KIND_OF = {scheme: key for key, kind in OFFERED_KINDS.items() for scheme in kind.schemes}


def host_kind_of(url: str) -> str:
    """Return the kind of host of a URL, a key of `OFFERED_KINDS`; empty for others."""
    scheme, colon, _ = url.strip().partition(":")
    return _KIND_OF.get(scheme.lower(), "") if colon else ""


def list_standard_values(kind: str) -> dict[str, str]:
    """Return the first values of a kind's fields."""
    return {name: HOST_KINDS[kind].values.get(name, "") for name in HOST_KINDS[kind].fields}


def fields_of(kind: str, values: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the fields of a kind.

    Args:
        kind: A key of `OFFERED_KINDS`; empty for no kind.
        values: Field to its text, to exclude fields without effect; None for all fields.
    """
    here = (values or {}).get("where") == HERE
    return tuple(name for name in HOST_KINDS[kind].fields if not (here and name in AWAY_FIELDS)) if kind else ()


def url_of(kind: str, values: Mapping[str, str]) -> str:
    """Return the URL of a host from its fields.

    A missing host name becomes `HOST_PLACEHOLDER`.

    Args:
        kind: A key of `OFFERED_KINDS`; empty for no kind.
        values: Field to its text.
    """
    if not kind:
        return ":"
    record = HOST_KINDS[kind]
    given = {name: values.get(name, "").strip() for name in record.fields}
    if record.away and given.get("where") != HERE:
        return record.away.format(**given, address=_join_address(given))
    options = "&".join(f"{name}={given[name]}" for name in SIMULATION_OPTIONS if given.get(name))
    return record.here.format(**given, options=f"?{options}" if options else "")


def values_of(url: str) -> dict[str, str] | None:
    """Return the fields of a URL's kind; None if fields cannot represent the URL."""
    text, kind = url.strip(), host_kind_of(url)
    if not kind:
        return None
    record = HOST_KINDS[kind]
    if record.own_fields:
        values = _parse_own(text, record)
    else:
        values = _parse_simulated(text) if record.simulated else _parse_reached(text, kind)
    return values if values is not None and _is_same_url(text, url_of(kind, values)) else None


def _parse_own(text: str, record: HostKind) -> dict[str, str] | None:
    """Return the fields of a kind whose template has one field at its end."""
    [name] = record.fields
    start = record.here.removesuffix(f"{{{name}}}")
    return {name: text.removeprefix(start)} if text.startswith(start) else None


def _parse_simulated(text: str) -> dict[str, str] | None:
    file, _, query = text.removeprefix("sim:").partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    if len(dict(pairs)) < len(pairs) or set(dict(pairs)) - set(SIMULATION_OPTIONS):
        return None
    return {**dict.fromkeys(SIMULATION_OPTIONS, ""), **dict(pairs), "file": file}


def _parse_reached(text: str, kind: str) -> dict[str, str] | None:
    if set("?#") & set(text):
        return None
    scheme, _, rest = text.partition(":")
    driver, _, way = scheme.partition("+")
    place = rest.removeprefix("//").partition("/")[0]
    before, at, address = place.rpartition("@")
    if ":" in before or (at and not before):  # a password must not be shown
        return None
    host, port = _split_address(address)
    values = {"runs": driver, "where": SSH if way else HERE, "user": before, "port": port}
    values["host"] = "" if host == HOST_PLACEHOLDER else host
    return {name: values[name] for name in fields_of(kind)}


def _split_address(address: str) -> tuple[str, str]:
    """Return host and port; an IPv6 address is in brackets."""
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
    """Return True for equal URLs, regardless of the order of their options."""
    (start, _, query), (other_start, _, other_query) = one.partition("?"), other.partition("?")
    return start == other_start and sorted(query.split("&")) == sorted(other_query.split("&"))


def explain_url(url: str) -> str:
    """Return the meaning of a URL, or the part that is missing.

    The explanation of an empty URL is empty.
    """
    text = url.strip()
    if ":" not in text:
        return _("A host URL begins with its kind and a colon, for example sim:. Choose a kind above.") if text else ""
    try:
        parts = urlsplit(text)
        _unused = parts.port
    except ValueError:
        return _("This is not a complete URL yet.")
    return _explain_parts(text.partition(":")[0], parts)


def _explain_parts(scheme: str, parts: SplitResult) -> str:
    if parts.password is not None:
        return _("Leave the password out. DomTune asks for it when needed, and never stores it.")
    kind, (driver, _unused, transport) = host_kind_of(f"{scheme}:"), scheme.partition("+")
    if kind and (transport or scheme == "xapi") and parts.hostname in {None, "", HOST_PLACEHOLDER.lower()}:
        return _("Write the host's name or address in place of HOST.")
    if driver in _LIBVIRT:
        away = _("{who} on {host}, through libvirt over {way}.")
        words = away if parts.hostname else _("{who} on this computer, through libvirt.")
    elif driver == "xen":
        words = _explain_xen(transport, parts)
    else:
        record = find_host_kind(f"{scheme}:")
        words = (record.schemes.get(scheme) if record else "") or _(
            "Unknown kind of host: {kind}. Choose a kind above."
        )
    user, port = parts.username or _("the user from your ssh configuration"), f":{parts.port}" if parts.port else ""
    who, way = _LIBVIRT.get(driver, ""), _WAYS.get(transport, transport)
    return words.format(host=f"{parts.hostname or ''}{port}", user=user, kind=repr(scheme), who=who, way=way)


_LIBVIRT = {"qemu": _("QEMU and KVM guests"), "lxc": _("LXC containers"), "test": _("libvirt's test domains")}
_WAYS = {"": "TLS", "tls": "TLS", "tcp": _("plain TCP")}


def _explain_xen(transport: str, parts: SplitResult) -> str:
    if transport in {"", "unix"} and not parts.netloc:
        return _("Xen on this computer: libvirt sets the values, xl verifies and restores them.")
    if transport != "ssh":
        return _("DomTune needs ssh to start a guard on the host. Write xen+ssh://root@HOST/system.")
    return _("Xen on {host} over ssh: libvirt sets the values, xl verifies and restores them.")
