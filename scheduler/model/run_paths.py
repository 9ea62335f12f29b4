"""Names of the files that DomTune opens without a command."""

RUN_FILE = "file"
"""Name of the export of a run file, on the command line and in the window."""

RUN_FILE_SUFFIX = ".domtune"
RESULTS_SUFFIX = ".json"


def is_run_path(word: str) -> bool:
    """Return True when a command-line word names a run file or results, and no option."""
    return not word.startswith("-") and word.endswith((RUN_FILE_SUFFIX, RESULTS_SUFFIX))
