"""What comes from outside is read within limits, over the whole tree: files, lines, numbers, opened paths.

Whoever reads something new without a limit, or opens a file by its path, says here why that is safe, or does it as
others do: `scheduler/files.py`, `scheduler/databases/safe_open.py`, `scheduler/model/number_parsing.py` and `lines.py`.
"""

import ast
import functools
import re
from collections.abc import Callable, Iterator

import pytest

from tests.product_sources import sources

KERNEL = "the kernel's: short, and nobody else's"
OWN = "our own, made by this program or installed with it"
LAB = "of a lab that this account started, in a folder of its own"
CHILD = "a child of ours, started from a folder that root or this account owns"
READS_ALL = {
    "scheduler/databases/abortable.py": KERNEL,
    "app/child_process.py": "the last 4 KB",
    "app/widgets/document_reader.py": OWN,
    "app/widgets/page_search.py": OWN,
    "app/paper/paper_document.py": OWN,
    "scheduler/commands/desktop_command.py": OWN,
    "app/pages/manual.py": OWN,
    "app/qt_libraries.py": OWN,
    "app/theme/icons.py": OWN,
    "scheduler/databases/server_log.py": "the last 64 KiB",
    "scheduler/run/local_guard_process.py": "its parent's bytes, which it counts; what it starts is not heard",
    "scheduler/loads/command/matcher.py": "what its parent sends, a line of at most 1,000 letters",
    "scheduler/export/bundle_files.py": OWN,
    "scheduler/export/templates.py": OWN,
    "scheduler/run/first_look.py": "no file: counters of a host",
    "scheduler/run/observation.py": "no file: counters of a host",
    "scheduler/papers/comparison.py": "resources of ours",
    "scheduler/model/own_plans.py": OWN,
    "scheduler/model/glossary.py": OWN,
    "scheduler/store/run_file.py": "the end of a zip: its last two records",
    "scheduler/hosts/fake.py": "made up",
    "scheduler/hosts/kernel_topology.py": KERNEL,
    "scheduler/hosts/libvirt/container_placement.py": KERNEL,
    "scheduler/hosts/local/cgroup_v1.py": KERNEL,
    "scheduler/hosts/local/cgroup_v2.py": KERNEL,
    "scheduler/hosts/local/local_cpus.py": KERNEL,
    "scheduler/hosts/local/cgroup_errors.py": KERNEL,
    "scheduler/hosts/local/describe_computer.py": KERNEL,
    "scheduler/hosts/local/kernel_files.py": KERNEL,
    "scheduler/hosts/local/original_groups.py": KERNEL,
    "scheduler/hosts/local/stale_records.py": KERNEL,
    "scheduler/hosts/local/cgroup_paths.py": KERNEL,
    "scheduler/hosts/local/cgroup_rights.py": KERNEL,
    "scheduler/hosts/local/leftover_groups.py": KERNEL,
    "scheduler/hosts/local/cgroup_steps.py": KERNEL,
    "scheduler/hosts/local/group_usage.py": KERNEL,
    "scheduler/hosts/local/path_check.py": KERNEL,
    "scheduler/hosts/remote/guard_program.py": OWN,
    "scheduler/hosts/remote/host_keys.py": "OpenSSH's words before a login, and a file in a folder of mode 0700",
    "labs/lxc/bare_server.py": LAB,
    "labs/lxc/libvirt_daemon.py": LAB,
    "labs/lxc/lab_files.py": LAB,
    "labs/xen/dom0.py": LAB,
    "labs/xen/emulator.py": LAB,
    "labs/xen/qmp.py": LAB,
    "labs/xen/recipe.py": OWN,
    "labs/xen/lab_record.py": LAB,
    "labs/xen/saved_states.py": LAB,
    "scheduler/loads/cluster/dask_cluster.py": KERNEL,
    "scheduler/confinement.py": KERNEL,
    "scheduler/loads/cluster/computer.py": KERNEL,
    "scheduler/loads/cluster/dask_process.py": "the core's, its parent, by a stream that has a limit",
    "scheduler/loads/engines/cpu_time.py": KERNEL,
    "scheduler/loads/engines/process_mark.py": KERNEL,
    "scheduler/loads/engines/program_supervisor.py": KERNEL,
    "scheduler/loads/fake_loads.py": "made up",
    "scheduler/loads/tpch/backends.py": KERNEL,
    "scheduler/loads/tpch/queries.py": OWN,
    "scheduler/loads/user_process.py": CHILD,
    "scheduler/loads/worker.py": "the pool's, its parent",
}
PERSON = "where a person told to save, with that person's rights"
OPENS = {
    "scheduler/translation.py": OWN,
    "app/single_window.py": "a private folder, whose owner is checked",
    "scheduler/confinement.py": KERNEL,
    "app/pages/fault_dialog.py": PERSON,
    "app/pages/manual.py": OWN,
    "app/widgets/plot_frame.py": PERSON,
    "app/widgets/plot_picture.py": PERSON,
    "app/wizard/plan_files.py": PERSON,
    "scheduler/commands/host_setup_command.py": "in a folder that was just made",
    "scheduler/databases/safe_open.py": "the one that looks into another account's folder",
    "scheduler/databases/postgresql/postgresql_binaries.py": "in a folder that was just made",
    "scheduler/databases/private_files.py": "without waiting; refused unless a file of nobody else's",
    "scheduler/databases/server_log.py": "in the shelter, which is ours",
    "scheduler/databases/private_parent.py": "by a descriptor of the shelter, following nothing",
    "scheduler/background_runs.py": "the folder of the sockets, which is ours",
    "scheduler/export/files.py": "a file that was just made",
    "scheduler/files.py": "the one that opens",
    "scheduler/hosts/fake.py": "made up",
    "scheduler/hosts/libvirt/container_placement.py": KERNEL,
    "scheduler/hosts/local/cgroup_lock.py": KERNEL,
    "scheduler/hosts/local/cgroup_steps.py": KERNEL,
    "scheduler/private_folders.py": "folders among the temporary files, following nothing",
    "scheduler/hosts/remote/askpass.py": "in a folder of mode 0700",
    "scheduler/hosts/remote/ssh_shell.py": "in a folder of mode 0700",
    "labs/lxc/bare_server.py": LAB,
    "labs/lxc/libvirt_daemon.py": LAB,
    "labs/lxc/lab_files.py": LAB,
    "labs/xen/dom0.py": LAB,
    "labs/xen/emulator.py": LAB,
    "labs/xen/qmp.py": LAB,
    "labs/xen/lab_record.py": LAB,
    "labs/xen/lab_plans.py": LAB,
    "labs/xen/machine_state.py": LAB,
    "labs/xen/saved_states.py": LAB,
    "scheduler/loads/worker.py": "its own standard input",
    "scheduler/run/record_folder.py": "a folder that was found to be ours",
    "scheduler/store/store_file.py": "a file that was found to be ours",
    "scheduler/store/file_integrity.py": "a file that was found to be ours",
}
# Where text becomes a number by Python's own readers: what was matched before, and so has few digits, all of ASCII.
MATCHED = {
    "scheduler/databases/abortable.py": {
        "params.get('port', DATABASES[STANDARD_DATABASE].port)",
        "each.name",
        "Path('/proc/self/statm').read_text('ascii').split()[1]",
    },
    "scheduler/databases/launch.py": {"word", "cpu"},  # its arguments, from us
    "scheduler/databases/mariadb/mariadb_binaries.py": {"part"},
    "scheduler/databases/mariadb/client.py": {"params['port']"},
    "scheduler/databases/mariadb/database.py": {"match[1]", "match[2]"},
    "scheduler/databases/mariadb/user.py": {"params['port']"},
    "scheduler/databases/postgresql/external_postgresql.py": {"text"},
    "scheduler/databases/postgresql/postgresql_binaries.py": {"self.version.partition('.')[0]", "part"},
    "scheduler/databases/data_folder.py": {"pid"},
    "scheduler/databases/postgresql/pg_client.py": {"port"},
    "scheduler/hosts/fake.py": {"value"},
    "scheduler/hosts/libvirt/cpu_sets.py": {"first", "last or first"},
    "scheduler/hosts/cgroup_mounts.py": {"match[1]"},
    "scheduler/hosts/local/relay.py": {"sys.argv[1]", "sys.argv[3]"},
    "scheduler/hosts/local/relay_process.py": {"json.loads(line)['port']"},
    "scheduler/hosts/local/cgroup_steps.py": {"entry.name"},
    "scheduler/hosts/local/group_usage.py": {"int"},
    "scheduler/hosts/xapi/pool_findings.py": {"span.total_seconds() // 60"},
    "scheduler/hosts/xen/describe.py": {"number"},
    "scheduler/hosts/xen/xentop_meter.py": {"minutes", "seconds"},
    "scheduler/hosts/xen/cpu_pools.py": {"head[at:]"},
    "scheduler/hosts/xen/xen_findings.py": {"states[1]"},
    "scheduler/hosts/xen/xl_tables.py": {"each['socket']", "each['core']", "each['node']"},
    "labs/lxc/bare_server.py": {"self._file.read_text('ascii')"},
    "labs/lxc/libvirt_daemon.py": {"(self._folder / 'libvirtd.pid').read_text('ascii')"},
    "labs/lxc/relay.py": {"sys.argv[1]", "sys.argv[2]"},
    "labs/xen/dom0.py": {"domid", "vcpus", "cpu_s"},
    "labs/xen/emulator.py": {"(self.folder / 'qemu.pid').read_text()"},
}
# Never text: of our own values, and a column of a row, whose pattern the law beside looks at.
NUMBERS = re.compile(r"found\['\w+'\]|.*(timeout_s|extratime|death_signal|self\._looked_s)|time")
READERS = {
    "read_text",
    "read_bytes",
    "communicate",
    "copyfileobj",
    "check_output",
    "getoutput",
    "loadtxt",
    "genfromtxt",
}
LOADERS = {"json.load", "tomllib.load", "pickle.load", "ET.parse", "np.fromfile", "subprocess.run"}
# A record, a run and a draft are read within limits by what has this name.
BOUNDED = re.compile(r"(UndoJournal\(.*\)|record|self\._journal|journal|draft)\.read")
WRITERS = {"write_text", "write_bytes", "chmod", "chown", "lchown", "truncate"}
# Not files: dialogs and the wizard's state; and `fchmod` of a descriptor needs no path.
NO_PATH = re.compile(r"(self(\._?state)?\.touch|(self\.)?dialog\.open|self\.desk\.open|command_log\.open|write_text)")


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)


def reads_all(call: ast.Call) -> bool:
    called = ast.unparse(call.func)
    endless = name_of(call) in {"read", "readline", "readlines"} and not (call.args or call.keywords)
    captured = any(keyword.arg == "capture_output" for keyword in call.keywords)
    return (endless and not BOUNDED.fullmatch(called)) or captured or name_of(call) in READERS or called in LOADERS


def opens(call: ast.Call) -> bool:
    called, name = ast.unparse(call.func), name_of(call)
    by_path = name == "open" and (not call.args or isinstance(call.args[0], ast.Constant))
    first = called in {"open", "io.open", "os.open", "codecs.open", "os.mkfifo"}
    return (first or by_path or name in WRITERS or name == "touch") and not NO_PATH.fullmatch(called)


def numbers(call: ast.Call) -> Iterator[str]:
    if ast.unparse(call.func) in {"int", "float", "map", "complex", "Decimal"} and call.args:
        text = ast.unparse(call.args[0])
        if (ast.unparse(call.func) != "map" or text in {"int", "float"}) and not NUMBERS.fullmatch(text):
            yield text


def calls(*folders: str) -> Iterator[tuple[str, ast.Call]]:
    for folder in folders:
        yield from _calls(folder)


@functools.cache
def _calls(folder: str) -> tuple[tuple[str, ast.Call], ...]:
    return tuple(
        (name, node) for name, tree in sources(folder) for node in ast.walk(tree) if isinstance(node, ast.Call)
    )


def files_with(found: Callable[[ast.Call], bool]) -> set[str]:
    return {name for name, call in calls("app", "scheduler", "labs") if found(call)}


def test_reads_without_a_limit_name_their_source():
    assert files_with(reads_all) == set(READS_ALL)


def test_opens_by_a_path_name_the_owner_of_the_folder():
    assert files_with(opens) == set(OPENS)


def test_what_others_print_becomes_a_number_in_one_way():
    found: dict[str, set[str]] = {}
    for name, call in calls("scheduler/hosts", "labs", "scheduler/databases"):
        for text in numbers(call):
            found.setdefault(name, set()).add(text)
    assert found == MATCHED


def test_no_pattern_for_what_others_print_takes_digits_of_every_script_or_without_end():
    """`guard_script` looks at our own commands; `tool_output` and `persistent_shell` pass on to a bounded reader."""
    apart = {"guard_script.py", "tool_output.py", "persistent_shell.py", "server_log.py"}
    patterns = [
        f"{name}:{node.lineno} {node.value}"
        for name, tree in sources("scheduler/hosts", "labs", "scheduler/databases")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not name.endswith(tuple(apart))
        if re.search(r"\\d|\[0-9\][+*](?!\+)", node.value)
    ]
    assert patterns == []


@pytest.mark.parametrize(
    "text",
    [
        "file.read()",
        "stream.readline()",
        "path.read_text()",
        "process.communicate()",
        "json.load(file)",
        "subprocess.run(words, stdout=subprocess.PIPE)",
        "open(path)",
        "os.open(path, os.O_RDONLY)",
        "path.open()",
        "path.open('w')",
        "path.write_text(text)",
        "os.chown(path, 0, 0)",
        "path.touch()",
        "int(answer.strip())",
        "map(float, text.split())",
    ],
)
def test_new_one_would_be_seen(text):
    call = ast.parse(text).body[0].value
    assert reads_all(call) or opens(call) or list(numbers(call))
