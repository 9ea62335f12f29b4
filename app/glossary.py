"""Glossary: the terms with their explanations, for tooltips and Help."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

GLOSSARY: dict[str, tuple[object, object]] = {
    "split": (
        QT_TRANSLATE_NOOP("glossary", "Split"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "How the CPU time that both domains compete for is divided, written I/O domain : guest. "
            "1:2 gives the I/O domain one third.",
        ),
    ),
    "io-domain": (
        QT_TRANSLATE_NOOP("glossary", "I/O domain"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "The domain through which the guest's network and disk traffic passes: Dom0 on Xen, a driver "
            "domain, or the relay process on this computer.",
        ),
    ),
    "watch": (
        QT_TRANSLATE_NOOP("glossary", "Watching"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "Reading a host's counters while its own load runs. What both domains received tells which split suits "
            "that load, and how much it would give: an estimate, not a measurement.",
        ),
    ),
    "follow": (
        QT_TRANSLATE_NOOP("glossary", "Following"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "Setting the split that suits the load of the moment, again and again within bounds that you name, for "
            "some hours; then the host is restored.",
        ),
    ),
    "guest": (
        QT_TRANSLATE_NOOP("glossary", "Guest"),
        QT_TRANSLATE_NOOP("glossary", "The domain that runs the database (DomU on Xen)."),
    ),
    "weights-mode": (
        QT_TRANSLATE_NOOP("glossary", "Weights"),
        QT_TRANSLATE_NOOP(
            "glossary", "Under contention each domain gets its share, and may use what the other leaves."
        ),
    ),
    "caps-mode": (
        QT_TRANSLATE_NOOP("glossary", "Caps"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "Each domain gets its share and never more; what one leaves stays idle. "
            "This is what the 2007 paper measured.",
        ),
    ),
    "cap": (
        QT_TRANSLATE_NOOP("glossary", "Cap"),
        QT_TRANSLATE_NOOP("glossary", "The most CPU time a domain may use, even when the CPU is otherwise idle."),
    ),
    "weight": (
        QT_TRANSLATE_NOOP("glossary", "Weight"),
        QT_TRANSLATE_NOOP(
            "glossary", "A domain's claim relative to the others while they compete; no limit by itself."
        ),
    ),
    "quota": (
        QT_TRANSLATE_NOOP("glossary", "Quota and period"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "A domain may run for the quota in every period, then it is held back until the next one begins.",
        ),
    ),
    "delivered-share": (
        QT_TRANSLATE_NOOP("glossary", "Delivered share"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "The CPU time that a domain really received, as a part of one CPU; beside it stands what was configured.",
        ),
    ),
    "throttled": (
        QT_TRANSLATE_NOOP("glossary", "Held back"),
        QT_TRANSLATE_NOOP("glossary", "Part of the time in which a domain wanted to run but had used its quota up."),
    ),
    "trial": (
        QT_TRANSLATE_NOOP("glossary", "Trial"),
        QT_TRANSLATE_NOOP(
            "glossary", "One stay at one split under one load: a few seconds to settle, then the seconds that count."
        ),
    ),
    "block": (
        QT_TRANSLATE_NOOP("glossary", "Block"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "One round through all splits in random order. Trials of one block are compared with each other, "
            "so that slow drifts of the host cancel out.",
        ),
    ),
    "settling": (
        QT_TRANSLATE_NOOP("glossary", "Settling"),
        QT_TRANSLATE_NOOP("glossary", "The first seconds after a change; they are shown but not counted."),
    ),
    "baseline": (
        QT_TRANSLATE_NOOP("glossary", "Baseline"),
        QT_TRANSLATE_NOOP("glossary", "The original settings as a measured setting. Each block of a sweep has them."),
    ),
    "sweep": (
        QT_TRANSLATE_NOOP("glossary", "Sweep"),
        QT_TRANSLATE_NOOP("glossary", "Measuring all chosen splits, each several times, and restoring the host."),
    ),
    "load": (
        QT_TRANSLATE_NOOP("glossary", "Load"),
        QT_TRANSLATE_NOOP("glossary", "What the users do: IR reads many rows, OLTP runs short transactions."),
    ),
    "ir": (
        QT_TRANSLATE_NOOP("glossary", "IR"),
        QT_TRANSLATE_NOOP(
            "glossary", "Information retrieval: users who read rows by key, as fast as they are answered."
        ),
    ),
    "oltp": (
        QT_TRANSLATE_NOOP("glossary", "OLTP"),
        QT_TRANSLATE_NOOP(
            "glossary", "Online transactions: users who change rows and commit, as fast as they are answered."
        ),
    ),
    "user": (
        QT_TRANSLATE_NOOP("glossary", "User"),
        QT_TRANSLATE_NOOP("glossary", "A client that sends its next request as soon as the last one is answered."),
    ),
    "throughput": (
        QT_TRANSLATE_NOOP("glossary", "Throughput"),
        QT_TRANSLATE_NOOP("glossary", "Tuples per second, all users together: rows read or changed and committed."),
    ),
    "service-time": (
        QT_TRANSLATE_NOOP("glossary", "Service time"),
        QT_TRANSLATE_NOOP("glossary", "From sending a request to its answer. p95: 95 of 100 requests were faster."),
    ),
    "interval": (
        QT_TRANSLATE_NOOP("glossary", "95 % interval"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "Where the true mean lies with 95 % certainty, judged by how much trials of all splits differ.",
        ),
    ),
    "cv": (
        QT_TRANSLATE_NOOP("glossary", "Variation (CV)"),
        QT_TRANSLATE_NOOP("glossary", "Standard deviation of the trials as a part of their mean."),
    ),
    "regret": (
        QT_TRANSLATE_NOOP("glossary", "Regret"),
        QT_TRANSLATE_NOOP(
            "glossary", "What a load loses at a split, against the split that would be best for that load."
        ),
    ),
    "objective": (
        QT_TRANSLATE_NOOP("glossary", "Objective"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "What best means: how much each load counts, the load that suffers most, or one load while the others "
            "keep a limit. The score is what a split is worth in it.",
        ),
    ),
    "confidence": (
        QT_TRANSLATE_NOOP("glossary", "Certainty"),
        QT_TRANSLATE_NOOP(
            "glossary", "The probability that no other split is better by more than what counts as equal."
        ),
    ),
    "indifference": (
        QT_TRANSLATE_NOOP("glossary", "Equally good"),
        QT_TRANSLATE_NOOP(
            "glossary", "Differences this small do not matter; splits within them are called equally good."
        ),
    ),
    "bottleneck": (
        QT_TRANSLATE_NOOP("glossary", "Bottleneck"),
        QT_TRANSLATE_NOOP("glossary", "What limited the throughput: the I/O domain, the guest, or the clients."),
    ),
    "model": (
        QT_TRANSLATE_NOOP("glossary", "Model"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "A queueing model of the host, fitted to the measured points: users who pass the I/O domain and the guest, "
            "each with its share of the CPU. It explains what was measured; no answer is made from it.",
        ),
    ),
    "protocol": (
        QT_TRANSLATE_NOOP("glossary", "Protocol"),
        QT_TRANSLATE_NOOP("glossary", "How long and how often each split is measured."),
    ),
    "ledger": (
        QT_TRANSLATE_NOOP("glossary", "Ledger"),
        QT_TRANSLATE_NOOP("glossary", "Every line that the host was told, and what it answered."),
    ),
    "preflight": (
        QT_TRANSLATE_NOOP("glossary", "Preflight"),
        QT_TRANSLATE_NOOP("glossary", "Checks made before anything is touched."),
    ),
    "undo-record": (
        QT_TRANSLATE_NOOP("glossary", "Undo record"),
        QT_TRANSLATE_NOOP(
            "glossary",
            "The host's own settings, written to disk before the first change; from it the host is restored.",
        ),
    ),
    "simulated": (
        QT_TRANSLATE_NOOP("glossary", "Simulated"),
        QT_TRANSLATE_NOOP("glossary", "Nothing here was measured on a machine."),
    ),
}


def glossary_term(key: str) -> tuple[str, str]:
    """Return a term and its explanation in the user's language.

    Raises:
        KeyError: The glossary has no such entry.
    """
    word, meaning = GLOSSARY[key]
    return QCoreApplication.translate("glossary", str(word)), QCoreApplication.translate("glossary", str(meaning))
