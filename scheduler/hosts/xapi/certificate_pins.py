"""Certificates of XAPI hosts: believed only when somebody accepted their fingerprint, then for good.

Hosts come with certificates that they signed themselves, so there is nobody to ask about them. Like an ssh host key, a
certificate is shown once, accepted by its fingerprint, and any other one stops everything before a password is sent.
"""

import hashlib
import os
import re
from pathlib import Path

from scheduler import places
from scheduler.errors import HostKeyChanged, HostKeyUnknown, HostNotUsable
from scheduler.files import make_private_folder, open_regular, read_regular
from scheduler.hosts.xapi.xapi_url import XapiAddress

_HEX = re.compile(r"[0-9a-f]{64}")
_MOST_BYTES = 1 << 20
_SHOW = "openssl x509 -noout -fingerprint -sha256 -in /etc/xensource/xapi-ssl.pem"


def fingerprint_of(certificate: bytes) -> str:
    """Return a certificate's SHA-256 fingerprint, 64 small hexadecimal digits."""
    return hashlib.sha256(certificate).hexdigest()


def normalise_fingerprint(text: str) -> str:
    """Return a fingerprint as we keep it, from any way of writing one; empty when it is none."""
    bare = re.sub(r"^sha-?256( fingerprint)?\s*[:=]", "", text.strip().lower())
    digits = bare.replace(":", "").replace(" ", "")
    return digits if _HEX.fullmatch(digits) else ""


def format_fingerprint(fingerprint: str) -> str:
    """Return a fingerprint as people compare it."""
    return ":".join(fingerprint[i : i + 2] for i in range(0, len(fingerprint), 2)).upper()


def pins_path() -> Path:
    """Return the file with the accepted fingerprints; it holds no secret."""
    return places.state_dir() / "xapi_certificates"


def find_pin(address: XapiAddress) -> str:
    """Return the fingerprint accepted for an address; empty when there is none. A later line wins.

    Raises:
        HostNotUsable: The file is damaged: a certificate that was accepted must not pass for one that never was.
    """
    kept = [line.split() for line in _read_pins().splitlines() if line.strip()]
    if any(len(words) != 2 or not normalise_fingerprint(words[1]) for words in kept):
        raise _damaged_pins_error("it has lines that are no address with a fingerprint")
    found = [normalise_fingerprint(words[1]) for words in kept if words[0] == address.where]
    return found[-1] if found else ""


def _read_pins() -> str:
    """Return the file's text; empty when there is none. Raises HostNotUsable."""
    try:
        return read_regular(pins_path(), _MOST_BYTES).decode()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise _damaged_pins_error(error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise _damaged_pins_error("it is no text") from error


def _damaged_pins_error(why: str) -> HostNotUsable:
    return HostNotUsable(
        f"the accepted certificates in {pins_path()} cannot be read: {why}",
        hint="Mend that file or move it away, then accept the certificates anew with 'domtune trust'.",
    )


def accept_fingerprint(address: XapiAddress, fingerprint: str) -> Path:
    """Accept a fingerprint for an address from now on; raises HostNotUsable when it cannot be kept."""
    path = pins_path()
    find_pin(address)  # a line behind damaged ones would be lost
    try:
        make_private_folder(path.parent)
        with os.fdopen(open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "a", encoding="utf-8") as kept:
            kept.write(f"{address.where} {format_fingerprint(fingerprint)}\n")
    except OSError as error:
        raise _damaged_pins_error(error.strerror or str(error)) from error
    return path


def check_fingerprint(address: XapiAddress, seen: str, pin: str) -> None:
    """Compare what a host shows with what was accepted.

    Args:
        address: The host.
        seen: Fingerprint of the certificate that it shows.
        pin: The accepted one; empty when there is none.

    Raises:
        HostKeyUnknown: None was accepted.
        HostKeyChanged: Another one was.
    """
    if not pin:
        raise HostKeyUnknown(
            f"{address.where} shows the certificate {format_fingerprint(seen)} (SHA-256), which was never accepted",
            format_fingerprint(seen),
            hint=f"Compare it on the host ({_SHOW}); "
            f"then: domtune trust xapi://{address.where} --fingerprint {format_fingerprint(seen)}",
        )
    if seen != pin:
        raise HostKeyChanged(
            f"{address.where} shows another certificate than the accepted one: "
            f"{format_fingerprint(seen)}, not {format_fingerprint(pin)}",
            hint="Somebody may be listening in, or the host got a new one. Only when its administrator reads the same "
            f"on the host ({_SHOW}), accept it: domtune trust xapi://{address.where} --fingerprint ...",
        )
