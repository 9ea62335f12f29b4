"""No message, plan or result holds a password that was pasted into a URL, however odd it is."""

import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from psycopg2 import ProgrammingError
from psycopg2.extensions import parse_dsn

from app.wizard import input_parsing
from scheduler.commands.parser import main
from scheduler.databases.mariadb import client
from scheduler.databases.mariadb import external_mariadb as mariadb_adopted
from scheduler.databases.postgresql import pg_client
from scheduler.databases.postgresql.external_postgresql import ExternalPostgresql
from scheduler.errors import SchedulerError, SpecError
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.libvirt import libvirt_uri as libvirt
from scheduler.hosts.libvirt.libvirt_errors import open_error
from scheduler.hosts.libvirt.worker_process import CallRefused
from scheduler.hosts.remote.ssh_url import parse_target
from scheduler.hosts.xapi import xapi_url as xapi
from scheduler.model.load import LoadSpec
from scheduler.model.plan_file import parse_plan
from scheduler.model.urls import redact_url, refuse_password
from tests.data_maker import make_spec
from tests.product_sources import sources

ROOT = Path(__file__).resolve().parents[3]
CANARY = "CaNaRy77"
SIGNS = "#/?:@&=%;+ []\\'\"$`|<>{}^~,!*()\t"
SCHEMES = ("xl+ssh", "xapi", "qemu+ssh", "qemu+tcp", "lxc", "xen+ssh", "test", "local", "nonsense", "vbox")
FINE = [
    "postgresql://osdb@10.0.0.5/osdb",
    "postgres://osdb@h:5433/osdb?sslmode=verify-full&sslrootcert=/a%20b",
    "postgresql:///db?host=/var/run/postgresql&port=5433",
    "postgresql://[::1]:5432/db",
    "postgresql://%2Fvar%2Frun/db",
    "postgresql://",
    "mysql://osdb@/osdb?socket=/run/mysqld/mysqld.sock",
]
HIDDEN = [
    f"postgresql://u:{CANARY}@h/db",
    f"postgresql://us#er:{CANARY}@h/db",
    f"postgresql://h/db#?password={CANARY}",
    f"postgresql://h/db?%70assword={CANARY}",
    f"postgresql://h/db?sslpassword={CANARY}",
    f"postgresql://u:{CANARY}/x@h/db",
    f"postgresql://u:9/{CANARY}@h/db",
    f"postgresql://u:{CANARY}?x@h/db",
    f"postgresql://u:9?{CANARY}@h/db",
    f"postgresql://h/db?oauth_client_secret={CANARY}",
]

HIDDEN_OTHERS = [
    *(f"mariadb{url.removeprefix('postgresql')}" for url in HIDDEN),
    f"mysql://u:{CANARY}@h/db",
    f"mysql://u@h/db?{CANARY}",
    f"mysql://u@h/{CANARY}@x",
    f"mariadb://u@h:{CANARY}/db",
    f"mariadb://u@{CANARY}:3306:x/db",
    f"mariadb://u@h/db%0a{CANARY}",
]


def hostile(rng: random.Random, scheme: str) -> str:
    """Return a URL into which somebody pasted a password that holds signs of its own."""
    secret = "".join(rng.choice(SIGNS) for _ in range(rng.randrange(4)))
    secret += CANARY + "".join(rng.choice(SIGNS) for _ in range(rng.randrange(3)))
    user = rng.choice(("root", "root#x", "a/b", "", "u?v", "DOM\\me"))
    return rng.choice(
        (
            f"{scheme}://{user}:{secret}@h",
            f"{scheme}://{user}:{secret}@h:22/system",
            f"{scheme}:{user}:{secret}@h",
            f"{scheme}://h?ssh={user}:{secret}@d",
            f"{scheme}://h/system?password={secret}",
            f"{scheme}://h#{secret}",
            f"{scheme}://{user}:{secret}@h/db",
        )
    )


def parsed(scheme: str, url: str) -> None:
    """Give a URL to whoever reads such URLs; nothing is connected."""
    readers = {
        "xapi": xapi.parse_xapi_url,
        "qemu+ssh": libvirt.parse_uri,
        "qemu+tcp": libvirt.parse_uri,
        "test": libvirt.parse_uri,
    }
    readers |= {"lxc": libvirt.parse_uri, "xen+ssh": libvirt.parse_uri, "xl+ssh": parse_target}
    reader = readers.get(scheme, lambda url: open_host(url, ignore_command))
    reader(url)


def told(error: BaseException) -> str:
    """Return what a person may see of an error: itself, its hint, and those that it came from do not count."""
    return f"{error} {getattr(error, 'hint', '')}"


def test_no_reader_of_host_urls_repeats_a_password():
    rng, said = random.Random(131), []
    for number in range(600):
        scheme = SCHEMES[number % len(SCHEMES)]
        url = hostile(rng, scheme)
        assert CANARY not in redact_url(url), url
        try:
            parsed(scheme, url)
        except SchedulerError as error:
            said.append((told(error), url))
    assert [url for text, url in said if CANARY in text] == []
    assert len(said) > 300


def test_no_reader_of_database_urls_repeats_or_keeps_a_password():
    rng, said = random.Random(132), []
    urls = [*HIDDEN, *(hostile(rng, "postgresql") for _ in range(600))]
    urls += [*HIDDEN_OTHERS, *(hostile(rng, rng.choice(("mariadb", "mysql"))) for _ in range(600))]
    for url in urls:
        readers = [input_parsing.parse_database_url, lambda url: LoadSpec("osdb-ir", database=url)]
        readers += (
            [ExternalPostgresql, pg_client.parse_parameters]
            if url.startswith("p")
            else [mariadb_adopted.ExternalMariadb]
        )
        readers += [] if url.startswith("p") else [client.parse_parameters]
        for read in readers:
            try:
                read(url)
            except SchedulerError as error:
                said.append((told(error), url))
    assert [url for text, url in said if CANARY in text] == []
    assert len(said) > 2000


@pytest.mark.parametrize("url", [*HIDDEN, *HIDDEN_OTHERS])
def test_hidden_password_is_refused_before_anything_is_kept(url):
    with pytest.raises(SpecError) as caught:
        LoadSpec("osdb-ir", database=url)
    assert CANARY not in told(caught.value)
    with pytest.raises(SpecError) as caught:
        parse_plan(f"host = 'local:'\n[[load]]\nkind = 'osdb-ir'\ndatabase = '''{url}'''\n")
    assert CANARY not in told(caught.value)
    assert caught.value.field == "load[0].database"


def test_whatever_libpq_takes_for_a_password_is_refused():
    """The reader without libpq, which the window uses, finds every password that libpq itself finds."""
    rng, found = random.Random(133), 0
    parts = ["u", ":", "@", "h", "/", "?", "&", "#", "password", "%70assword", "sslpassword", "=", CANARY, "5432", ","]
    for _ in range(20_000):
        url = "postgresql://" + "".join(rng.choice(parts) for _ in range(rng.randrange(3, 12)))
        try:
            by_libpq = parse_dsn(url)
        except ProgrammingError:
            continue
        if by_libpq.get("password") or by_libpq.get("sslpassword"):
            found += 1
            with pytest.raises(SpecError):
                refuse_password(url, "x")
    assert found > 100


@pytest.mark.parametrize("url", FINE)
def test_url_without_a_password_is_taken(url):
    refuse_password(url, "x")
    assert LoadSpec("osdb-ir", database=url).database == url


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("xapi://root:PW@h:443", "xapi://root@h:443"),
        ("vbox://h#@PW", "vbox://..."),
        ("xapi://root#x:PW@h", "xapi://..."),
        ("xl+ssh://root@xen1:22", "xl+ssh://root@xen1:22"),
        ("qemu+ssh://root@h/system?socket=/run/x", "qemu+ssh://root@h/system?socket=/run/x"),
        ("qemu+ssh://h/system?token=PW", "qemu+ssh://h/system?..."),
        ("xl+ssh://root:PW", "xl+ssh://..."),
        ("local:", "local:"),
        ("xapi:root:PW@h", "xapi:..."),
        ("qemu:///system", "qemu:///system"),
    ],
)
def test_only_what_is_plain_is_shown(url, seen):
    assert redact_url(url) == seen


# Every word that takes a host, or what a person may take for one.
ASKING = (
    *(("probe",), ("trust",), ("revert",), ("revert", "--dry-run"), ("watch", "--for", "1m", "--quiet")),
    *(("restore", "--forget"), ("apply", "--split", "1:2"), ("runs",), ("export", "--to", "csv")),
)


@pytest.mark.parametrize("words", ASKING, ids=" ".join)
def test_command_line_repeats_no_password(words, capfd, tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    rng = random.Random(134)
    for scheme in ("xapi", "xl+ssh", "qemu+ssh", "test", "local", "nonsense"):
        for json in ([], ["--json"]) if words[0] != "export" else ([],):
            url = f"{scheme}://root#x:{CANARY}@h" if rng.random() < 0.5 else f"{scheme}://u/{CANARY}:x@h"
            assert main([*words, url, *json]) != 0
            said = capfd.readouterr()
            assert CANARY not in said.out + said.err
    assert CANARY not in (tmp_path / "state/domtune.log").read_text()


@pytest.mark.parametrize("url", [f"test://h#{CANARY}|", f'test://a/b:{CANARY}"]@h/system', f"test:root:{CANARY}][@h"])
def test_libvirt_is_given_nothing_that_its_own_message_would_repeat(url):
    with pytest.raises(SpecError) as caught:
        libvirt.parse_uri(url)
    assert CANARY not in told(caught.value)
    odd = libvirt.parse_uri(f"test://h/system?mode={CANARY}@[")
    said = open_error(odd, CallRefused(1, 0, f"Unable to parse URI {odd.asked_for}"))
    assert CANARY not in told(said)
    assert "Unable to parse URI test://..." in str(said)


_URL = re.compile(r"(?:[\w.]+\.)?_?(?:\w*_)?(?:url|uri|urls)(?:\.text|\.asked_for)?")
_ERROR = re.compile(r"(Error|Refused|Unreachable|NotUsable|Busy)$")
_MAKING = {"format", "arg", "join", "quote"}
# Where a URL goes on to a program or a place that needs it whole, and no message is made.
_WHOLE = {
    "app/pages/applied_bar.py": "of an undo record: it was opened by that URL, and no URL with a password is opened",
    "labs/lab_command.py": "of a lab of ours",
    "scheduler/commands/trust_command.py": "the command to repeat: it was read without a password before",
    "scheduler/hosts/libvirt/remote_access.py": "made for virsh on the host itself: driver, path and socket",
    "scheduler/hosts/remote/ssh_errors.py": "the command to type, made of the target that was read",
    "scheduler/hosts/sim.py": "into a checksum",
}


def whole_urls(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield every URL that goes into a text as it is: in braces, as an argument of what makes texts, or added."""
    for node in ast.walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.FormattedValue):
            parts = [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MAKING:
            parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.Call) and _ERROR.search(ast.unparse(node.func)):
            parts = list(node.args)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
            parts = [node.left, node.right]
        for part in parts:
            method = isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and not part.args
            text = ast.unparse(part.func.value if method else part)
            if _URL.fullmatch(text):
                yield part


def test_every_message_with_a_url_shows_it_by_one_function():
    found = {name for name, tree in sources("scheduler", "labs", "app", words={"url", "uri"}) if list(whole_urls(tree))}
    assert found == set(_WHOLE)


@pytest.mark.parametrize(
    "text",
    [
        "f'{url}'",
        "f'{self._url!r}'",
        "f'{spec.host_url}'",
        "f'{load.database_url.strip()}'",
        "'{}'.format(url)",
        "'%s' % url",
        "'no host ' + undo.host_url",
        "' '.join(url)",
        "SpecError('host', url)",
        "_('{host}').format(host=self._url)",
    ],
)
def test_url_in_a_new_message_would_be_seen(text):
    assert list(whole_urls(ast.parse(text))) != []


AS_LIBPQ_READS = (
    "postgresql://u@/db?host=/folder&port=5433",
    "postgresql://u@127.0.0.1:5432/db?port=5433",
    "postgresql://u@h:5432/db?host=127.0.0.1",
    "postgresql://h/x?user=me&dbname=y",
    "postgresql://h/x",
)


@pytest.mark.parametrize("url", AS_LIBPQ_READS)
def test_adopted_server_is_the_one_that_libpq_would_reach(url):
    read, params = ExternalPostgresql(url), pg_client.parse_parameters(url)
    host, port = params["host"], int(params.get("port", "5432"))
    assert read.address == ((f"{host}/.s.PGSQL.{port}", 0) if host.startswith("/") else (host, port))
    assert (read.user, read.database) == (params.get("user", "postgres"), params["dbname"])


AT_SOCKETS = (
    "mysql://u@/d?socket=/run/mysqld/mysqld.sock",
    "postgresql://u@/d?host=/run/postgresql",
    "postgresql://%2Frun%2Fpostgresql/d",
)


@pytest.mark.parametrize("url", AT_SOCKETS)
def test_run_spec_refuses_socket_on_host_that_is_not_this_computer(url):
    loads = (LoadSpec("osdb-ir", database=url),)
    msgspec.structs.replace(make_spec("local:"), loads=loads)
    with pytest.raises(SpecError, match="does not lead into the guest") as refused:
        msgspec.structs.replace(make_spec("xl+ssh://root@h"), loads=loads)
    assert "address and port" in refused.value.hint


@pytest.mark.parametrize("port", ["0", "65536", "-1", "x", "%C2%B2", "5433,5434"])
def test_port_that_is_none_is_refused(port):
    with pytest.raises(SpecError):
        ExternalPostgresql(f"postgresql:///db?host=/folder&port={port}")


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("postgresql://u@h/db?pgbouncer=true", "the parameter pgbouncer"),
        ("postgresql://u@h/db?sslmode", "a parameter has no '='"),
        ("postgresql://u@h/db#x", "it holds a '#'"),
        ("postgresql://u@h:54x/db", "its port is no number"),
        ("postgresql://u@h/d@b", "there is an '@' behind the host"),
        ("mysql://u@h/db?charset=utf8", "the parameter charset"),
        ("mysql://u@h/db?useSSL=false", "parameters that are not known"),
    ],
)
def test_refused_url_names_the_part_that_cannot_be_read(url, part):
    with pytest.raises(SpecError, match=part):
        refuse_password(url, "url")
