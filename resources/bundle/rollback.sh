#!/bin/sh
# Restores what apply.sh found, verifies it, and removes what persist.sh wrote.
# Exit code: 0 done and read back; 1 not as it should be; 2 not usable here, nothing was changed.
set -eu
script_folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=parts/common.sh
. "$script_folder/parts/common.sh"

lock_host
failed=0
[ "$forget_first" = no ] || forget_kept || failed=1

before=$state
[ -e "$before" ] || before=$originals
if [ -e "$before" ]; then
    for slot in $(slots_to_restore); do
        restore_slot "$slot" || failed=1
    done
    restore_made || failed=1
else
    refuse_other_names
    say "no split was applied since the last reboot, and none is persistent ($state and $originals do not exist)"
fi
[ "$forget_first" = yes ] || forget_kept || failed=1
[ "$failed" -eq 0 ] || stop 1 "not all original settings are restored; what is kept of them stays"
[ -e "$before" ] || exit 0
rm -f -- "$state" "$originals"
rmdir -- "$keep_dir" 2>/dev/null || :
say "rolled back: original settings restored and verified"
