#!/bin/sh
# Compares the host with the split of split.conf; changes nothing.
# Exit code: 0 done and read back; 1 not as it should be; 2 not usable here, nothing was changed.
set -eu
script_folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=parts/common.sh
. "$script_folder/parts/common.sh"

find_targets
failed=0
check_slots || failed=1
check_kept || failed=1 # only where persist.sh has been run
[ "$failed" -eq 0 ] || stop 1 "the host does not have the split $split"
note_others
say "verified: $split"
