"""Descriptions of the lab's two containers for libvirt."""

from pathlib import Path
from xml.sax.saxutils import escape

import msgspec

from scheduler.children import python_module

IO_NAME = "io"
DB_NAME = "db"

_TEMPLATE = """<domain type='lxc'>
  <name>{name}</name>
  <memory unit='MiB'>{memory}</memory>
  <vcpu placement='static' cpuset='{cpu}'>1</vcpu>
  <os>
    <type>exe</type>
    <init>{program}</init>
{arguments}
  </os>
  <devices><console type='pty'/></devices>
</domain>
"""


class ContainerPlan(msgspec.Struct, frozen=True):
    """Parts of the lab.

    Attributes:
        cpu: The CPU that both share.
        relay_port: Port of the clients, on 127.0.0.1.
        database_port: Port of PostgreSQL, on 127.0.0.1.
        server: The command line of PostgreSQL.
        log: Its log.
        uid: User that it runs as.
        gid: Group that it runs as.
        init: The script that is the database container's first process.
    """

    cpu: int
    relay_port: int
    database_port: int
    server: tuple[str, ...]
    log: Path
    uid: int
    gid: int
    init: Path


def io_domain_xml(plan: ContainerPlan) -> str:
    """Return the description of the I/O domain, a relay."""
    program, *words = python_module("labs.lxc.relay", str(plan.relay_port), str(plan.database_port))
    return _domain_xml(IO_NAME, 128, plan.cpu, program, words)


def guest_domain_xml(plan: ContainerPlan) -> str:
    """Return the description of the guest, PostgreSQL."""
    words = [str(plan.uid), str(plan.gid), str(plan.log), *plan.server]
    return _domain_xml(DB_NAME, 1024, plan.cpu, str(plan.init), words)


def _domain_xml(name: str, memory_mib: int, cpu: int, program: str, words: list[str]) -> str:
    arguments = "\n".join(f"    <initarg>{escape(word)}</initarg>" for word in words)
    return _TEMPLATE.format(name=name, memory=memory_mib, cpu=cpu, program=escape(program), arguments=arguments)
