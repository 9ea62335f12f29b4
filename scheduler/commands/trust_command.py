"""`domtune trust URL`: show a host's ssh key or certificate, or accept it."""

import argparse
import shlex

from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.errors import SpecError
from scheduler.hosts.remote.host_keys import accept_key as keep_key
from scheduler.hosts.remote.host_keys import fetch_key
from scheduler.hosts.remote.ssh_url import parse_target
from scheduler.hosts.xapi import certificate_trust as certificates
from scheduler.model.command_answers import TrustResult
from scheduler.model.host_kinds import has_certificate
from scheduler.model.urls import redact_url
from scheduler.translation import _

_OWN_KEY = "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub"
_OWN_CERTIFICATE = "openssl x509 -noout -fingerprint -sha256 -in /etc/xensource/xapi-ssl.pem"


def trust(arguments: argparse.Namespace) -> int:
    """Show the key, or store it when its fingerprint is given."""
    url: str = arguments.url
    answer = (
        _trust_certificate(url, arguments.fingerprint)
        if has_certificate(url)
        else _trust_key(url, arguments.fingerprint)
    )
    if arguments.json:
        print_json(answer)
        return ExitCode.DONE
    what = f"{answer.kind} {'certificate' if has_certificate(url) else 'key'}"
    print_lines(
        _("{host} has the {what} {fingerprint}").format(host=answer.host, what=what, fingerprint=answer.fingerprint)
    )
    if answer.kept_in:
        print_lines(_("DomTune trusts it from now on (saved in {kept_in}).").format(kept_in=answer.kept_in))
    else:
        print_lines(
            _("Compare it with the host's own, for example at its console:"),
            f"  {_OWN_CERTIFICATE if has_certificate(url) else _OWN_KEY}",
            _("Then: domtune trust {url} --fingerprint {fingerprint}").format(
                url=shlex.quote(url), fingerprint=answer.fingerprint
            ),
        )
    return ExitCode.DONE


def _trust_key(url: str, fingerprint: str) -> TrustResult:
    if not url.partition(":")[0].endswith("+ssh"):
        raise SpecError(
            "host",
            _("{redact_url!r} is not reached by ssh").format(redact_url=redact_url(url)),
            hint=_("Write for example xl+ssh://root@HOST"),
        )
    target = parse_target(url if url.startswith("xl+ssh:") else url.removesuffix("/system"))
    key = fetch_key(target)
    kept_in = str(keep_key(target, fingerprint)) if fingerprint else ""
    return TrustResult(host=target.where, fingerprint=key.fingerprint, kind=key.kind, kept_in=kept_in)


def _trust_certificate(url: str, fingerprint: str) -> TrustResult:
    where, shown = certificates.fetch_fingerprint(url)
    kept_in = str(certificates.accept_certificate(url, fingerprint)) if fingerprint else ""
    return TrustResult(host=where, fingerprint=shown, kind="TLS", kept_in=kept_in)
