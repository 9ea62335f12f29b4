"""Whether a server that does not start blames its data: only then are they kept aside and made anew.

MariaDB gives no code for it, only words: InnoDB's srv0start.cc, fsp0sysspace.cc, log0recv.cc, log0log.cc, Aria's
ma_control_file.c and ma_recovery.c, and sql_acl.cc; version 10.4 to 11.
"""

import re

_DAMAGED = re.compile(
    r"""\bcorrupt(ed|ion)?\b | \bInnoDB:\ (Missing\ FILE_CHECKPOINT|Invalid\ (flags|log|page|header|redo)
    | Header\ page | The\ log\ file\ is | Cannot\ (open|read)\ first\ page | Tablespace\ id\ in
    | Upgrade\ after\ a\ crash | Unsupported\ redo\ log | .*\bdoublewrite\b.*\bfailed
    | File\ .*ibdata1.*\bsize\b | Log\ file\ .*\bsize\b)
    | \bAssertion\ failure\ in\ file\b | Can't\ open\ and\ lock\ privilege\ tables | Could\ not\ open\ mysql\.plugin
    | Table\ '(mysql\.|\./mysql/)[^']*'\ (doesn't\ exist|is\ marked\ as\ crashed) | Can't\ find\ file:\ '\./mysql/
    | \bAria\ (engine|recovery|control|Log)\b.*\b(failed|initiali[sz]ed|aborted|wrong|Bad) | aria_log_control
    | Unknown/unsupported\ storage\ engine:\ InnoDB | Incorrect\ information\ in\ file:\ '\./mysql/
    """,
    re.VERBOSE,
)
# The kernel's words for what has nothing to do with the data, whichever file it was met with (errno(3)).
_ELSEWHERE = re.compile(
    "No space left|Disk quota|Disk is full|Too many open files|Cannot allocate memory|[Oo]ut of memory|"
    "Permission denied|Operation not permitted|Read-only file system|Input/output error|temporarily unavailable|"
    r"Unable to lock|must be writable|error number (5|11|12|13|24|28|30)\b|Errcode: (5|11|12|13|24|28|30)\b|"
    "Address already in use|Cannot allocate|Can't lock aria control file"
)


def is_damage(said: str) -> bool:
    """Return whether what a server said as it ended means that its data are damaged."""
    return bool(_DAMAGED.search(said)) and not _ELSEWHERE.search(said)
