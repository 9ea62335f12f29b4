#!/bin/sh
# Keeps the split of split.conf over a reboot; rollback.sh removes what this script writes.
# Exit code: 0 done and read back; 1 not as it should be; 2 not usable here, nothing was changed.
set -eu
script_folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=parts/common.sh
. "$script_folder/parts/common.sh"

lock_host
keep
check_kept || stop 1 "what was kept does not read back; remove it with rollback.sh"
[ ! -e "$originals" ] || say "originals are kept in $originals"
say "persistent: $split"
