"""Certificates as hosts have them, signed by themselves, made with the system's openssl."""

import hashlib
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

_CA = """
[ca]
default_ca = ours
[ours]
database = {folder}/index
new_certs_dir = {folder}
serial = {folder}/serial
default_md = sha256
policy = any
[any]
commonName = supplied
"""


@dataclass(frozen=True)
class Pair:
    certificate: Path
    key: Path

    @property
    def fingerprint(self):
        """64 hexadecimal digits."""
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.certificate.read_text())).hexdigest()


def make(folder: Path, name: str, *, expired: bool = False, rsa: bool = False) -> Pair:
    """Make a key and a certificate of its own; an expired one ran out in 2020."""
    folder = folder / name
    folder.mkdir(parents=True)
    pair = Pair(folder / "certificate.pem", folder / "key.pem")
    kind = ["rsa:2048"] if rsa else ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    new = ["openssl", "req", "-newkey", *kind, "-nodes"]
    new += ["-keyout", str(pair.key), "-subj", f"/CN={name}"]
    if not expired:
        _run([*new, "-x509", "-days", "3650", "-out", str(pair.certificate)])
        return pair
    (folder / "config").write_text(_CA.format(folder=folder))
    (folder / "index").write_text("")
    (folder / "serial").write_text("01\n")
    _run([*new, "-out", str(folder / "request.pem")])
    sign = ["openssl", "ca", "-batch", "-selfsign", "-notext", "-config", str(folder / "config")]
    sign += ["-keyfile", str(pair.key), "-in", str(folder / "request.pem"), "-out", str(pair.certificate)]
    _run([*sign, "-startdate", "20190101000000Z", "-enddate", "20200101000000Z"])
    return pair


def _run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[:2]}: {done.stderr}"
