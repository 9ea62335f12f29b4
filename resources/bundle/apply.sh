#!/bin/sh
# Sets the split of split.conf now, and reads every value back; gone after a reboot.
# Exit code: 0 done and read back; 1 not as it should be; 2 not usable here, nothing was changed.
set -eu
script_folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=parts/common.sh
. "$script_folder/parts/common.sh"

lock_host
refuse_busy
note_differences
find_targets
refuse_several_cpus live "$io_target" "$guest_target"

# The originals are on disk before the first write; a second run keeps those of the first. Values that persist.sh has
# had set at boot are no originals.
lines=
different=
for slot in $slots; do
    found=$(read_twice "$slot" "$(target_of "$slot")" "$(wanted_of "$slot")") || exit 2
    [ "$found" = "$(wanted_of "$slot")" ] || different=yes
    values=$(original_of "$originals" "$slot") || exit 2
    lines="$lines$slot ${values:-$found}
"
done
if [ ! -e "$state" ] && [ ! -e "$originals" ] && [ -z "$different" ]; then
    say "note      another program set this split, so rollback.sh will not change it. If DomTune applied it, run 'domtune revert'"
    say "applied: $split"
    exit 0
fi
if [ ! -e "$state" ]; then
    {
        printf '%s' "$lines"
        note_targets
        say "from $source, split $split"
        say "for $(given_names)"
    } | write_file "$state"
fi
say "originals are kept in $state"

make_targets
failed=0
for slot in $slots; do
    # shellcheck disable=SC2046 # values are words
    check "$slot" "$(target_of "$slot")" "$(wanted_of "$slot")" >/dev/null ||
        set_values "$slot" "$(target_of "$slot")" $(wanted_of "$slot") || failed=1
done
check_slots || failed=1
if settle; then
    check_slots >/dev/null || failed=1
fi
[ "$failed" -eq 0 ] || stop 1 "not every value was taken or stayed; restore the originals with rollback.sh"
note_others
say "applied: $split"
