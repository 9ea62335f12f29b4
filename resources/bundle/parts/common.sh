# Functions of all scripts of a configuration bundle of DomTune. This file is the same in every bundle.
# The values are in split.conf. The commands of a toolstack are in parts/cgroup.sh, parts/xen.sh or parts/libvirt.sh,
# which is read last: it defines read_values, set_values and so on, and may replace functions of this file.
# shellcheck shell=sh
LC_ALL=C
PATH=${DOMTUNE_XEN_SBIN:+$DOMTUNE_XEN_SBIN:}$PATH:/usr/sbin:/usr/local/sbin:/sbin
export LC_ALL PATH

say() {
    printf '%s\n' "$*"
}

stop() { # exit code, text
    printf '%s: %s\n' "$0" "$2" >&2
    exit "$1"
}

# ---- split.conf: lines of key=value. A value is the rest of its line, as it is: nothing in it is expanded or unquoted.

conf=$script_folder/split.conf

refuse_conf() { # text
    stop 2 "$conf: $1; nothing was changed. Export the bundle again"
}

# Every key, so that nothing of the environment is taken for a value. Most are for the files in parts.
# shellcheck disable=SC2034
{
    format='' toolstack='' mode='' split='' source='' seen='' one_cpu='' pcpus='' version=''
    io_values='' guest_values='' io_uuid='' guest_uuid='' io_place='' guest_place='' guest_mask=''
    tool='' scheduler='' extratime='' xapi='' others=''
    uri='' io_names='' guest_names=''
    cgroup_version='' io_group='' guest_group='' io_slice='' guest_slice='' io_settings='' guest_settings=''
    io_values_near='' guest_values_near='' io_settings_near='' guest_settings_near=''
}

find_rule() { # key; sets the words that its value may be, or the pattern of values that are refused, and the longest length
    words='' refused='' most=40 may_be_empty=no
    case $1 in
    format) words=1 ;;
    toolstack) words="cgroup xen libvirt" ;;
    mode) words="caps weights dedicated" ;;
    seen) words="measured watched" ;;
    tool) words="xl xm" ;;
    scheduler) words="credit credit2 rtds sedf" ;;
    cgroup_version) words="1 2" ;;
    one_cpu | extratime | xapi) words="yes no" ;;
    split | source) refused='' most=300 ;;
    version) refused='' most=200 may_be_empty=yes ;;
    others) refused='' most=4000 may_be_empty=yes ;;
    pcpus) refused='*[!0-9]*' most=5 ;;
    io_values | guest_values) refused='*[!0-9a-z/. -]*' most=20000 ;;
    io_place | guest_place) refused='*[!0-9a-z:, -]*' most=20000 may_be_empty=yes ;;
    guest_mask) refused='*[!0-9,;]*' most=20000 may_be_empty=yes ;;
    io_values_near | guest_values_near) refused='*[!0-9a-z -]*' may_be_empty=yes ;;
    io_uuid | guest_uuid) refused='*[!0-9a-fA-F-]*' may_be_empty=yes ;;
    uri) refused='-*' most=2000 ;;
    io_names | guest_names) refused='*[!a-z_ ]*' most=200 ;;
    io_group | guest_group) refused='' most=1000 ;;
    io_slice | guest_slice) refused='*[!A-Za-z0-9:_.\\-]*' most=4000 ;;
    io_settings | guest_settings) refused='*[!A-Za-z0-9=%., -]*' most=2000 ;;
    io_settings_near | guest_settings_near) refused='*[!A-Za-z0-9=%., -]*' most=2000 may_be_empty=yes ;;
    *) refuse_conf "the key '$1' is unknown" ;;
    esac
}

check_value() { # key, value
    find_rule "$1"
    # shellcheck disable=SC2254 # a pattern
    case $2 in
    '') [ "$may_be_empty" = yes ] || refuse_conf "the key $1 has no value" ;;
    $refused) refuse_conf "the value of $1 is not allowed: '$2'" ;;
    esac
    [ "${#2}" -le "$most" ] || refuse_conf "the value of $1 is longer than $most bytes"
    [ -n "$words" ] || return 0
    for word in $words; do
        [ "$word" != "$2" ] || return 0
    done
    refuse_conf "$1 is '$2', which is none of: $words"
}

read_conf() {
    [ -r "$conf" ] || stop 2 "$conf cannot be read; keep all files of the bundle together"
    keys=' '
    while IFS= read -r line || [ -n "$line" ]; do
        key=${line%%=*}
        case $line in
        '' | '#'*) continue ;;
        *=*) ;;
        *) refuse_conf "'$line' is not key=value" ;;
        esac
        case $keys in
        *" $key "*) refuse_conf "the key $key is there twice" ;;
        esac
        check_value "$key" "${line#*=}"
        # shellcheck disable=SC2229 # the variable of that name; find_rule knows it
        IFS= read -r "$key" <<END
${line#*=}
END
        keys="$keys$key "
    done <"$conf"
    needed='format toolstack mode split source seen one_cpu pcpus version io_values guest_values io_place guest_place'
    case $toolstack in
    cgroup)
        needed="$needed cgroup_version io_group guest_group io_slice guest_slice io_settings guest_settings"
        needed="$needed io_values_near guest_values_near io_settings_near guest_settings_near"
        ;;
    xen) needed="$needed tool scheduler extratime xapi others guest_mask io_uuid guest_uuid" ;;
    libvirt) needed="$needed uri io_uuid guest_uuid io_names guest_names" ;;
    esac
    for key in $needed; do
        case $keys in
        *" $key "*) ;;
        *) refuse_conf "the key $key is missing" ;;
        esac
    done
    for key in $keys; do
        case " $needed " in
        *" $key "*) ;;
        *) refuse_conf "the key $key does not belong to a bundle for $toolstack" ;;
        esac
    done
}

note_others() { # the sweep kept other guests on other CPUs; the scripts do not move them
    [ -z "$others" ] || say "note      $others. These scripts do not move them: see OTHER GUESTS in README.txt"
}

# ---- Slots: the things that are set, each with one line of values.

slots='io guest'
use_placement() { # the CPUs of each domain come first: caps are of the CPUs that the domain may use
    case "${io_place:+x}${guest_place:+x}" in
    xx) slots='io-place guest-place io guest' ;;
    x) refuse_conf "only one of io_place and guest_place has a value" ;;
    esac
}

slots_to_restore() { # prints the slots, limits first: they slow down the restore
    case $slots in
    *place*) say io guest io-place guest-place ;;
    *) say "$slots" ;;
    esac
}

wanted_of() { # slot; prints the values of split.conf
    case $1 in
    io) printf '%s\n' "$io_values" ;;
    guest) printf '%s\n' "$guest_values" ;;
    io-place) printf '%s\n' "$io_place" ;;
    guest-place) printf '%s\n' "$guest_place" ;;
    esac
}

target_of() { # slot; prints what addresses its domain now, as find_targets found it
    case $1 in
    io*) printf '%s\n' "$io_target" ;;
    *) printf '%s\n' "$guest_target" ;;
    esac
}

check_uuids() {
    io_uuid=${DOMTUNE_IO_UUID:-$io_uuid} guest_uuid=${DOMTUNE_GUEST_UUID:-$guest_uuid}
    for uuid in "$io_uuid" "$guest_uuid"; do
        case $uuid in
        *[!0-9a-fA-F-]*) ;;
        ????????-????-????-????-????????????) continue ;;
        esac
        stop 2 "'$uuid' is not a UUID; give them as DOMTUNE_IO_UUID and DOMTUNE_GUEST_UUID"
    done
}

require_domain() { # UUID; prints what addresses the domain now, stops when there is no such domain
    address=$(find_domain "$1") || exit 2
    case $address in
    '') stop 2 "no running domain has the UUID $1; nothing was changed" ;;
    *[!0-9a-fA-F-]*) stop 2 "more than one domain has the UUID $1; is it being migrated?" ;;
    esac
    printf '%s\n' "$address"
}

find_targets() {
    io_target=$(require_domain "$io_uuid") || exit 2
    guest_target=$(require_domain "$guest_uuid") || exit 2
}

read_line() { # slot, target; prints its values on one line
    read_values "$1" "$2" | tr '\n' ' ' | sed 's/ *$//'
}

explain_values() { # slot
    case $1 in
    *-place) say "CPUs" ;;
    *) value_names "$1" ;;
    esac
}

check() { # slot, target, expected values
    got=$(read_line "$1" "$2") || got=
    if [ "$got" = "$3" ]; then
        say "ok        $1: $3 ($(explain_values "$1"))"
    else
        say "MISMATCH  $1: ${got:-no values}, expected $3 ($(explain_values "$1"))"
        return 1
    fi
}

check_slots() {
    wrong=0
    for slot in $slots; do
        check "$slot" "$(target_of "$slot")" "$(wanted_of "$slot")" || wrong=1
    done
    return "$wrong"
}

read_twice() { # slot, target, wanted values; prints its values, stops when they change by themselves or are of another kind
    first=$(read_line "$1" "$2")
    [ -n "$first" ] || stop 2 "the parameters of $2 cannot be read: another scheduler, or not run as root; nothing was changed"
    [ "$first" = "$(read_line "$1" "$2")" ] || stop 2 "the parameters of $2 change while they are read"
    if [ "$first" != absent ] && [ "$(echo "$first" | wc -w)" -ne "$(echo "$3" | wc -w)" ]; then
        stop 2 "$2 reads '$first', but '$3' is to be set: another scheduler or other vCPUs than when it was $seen"
    fi
    printf '%s\n' "$first"
}

expect() { # what, value then, value now
    [ "$2" = "$3" ] || say "note      $seen with $1 $2, here is ${3:-unknown}: the evidence may be out of date"
}

# The caps divide the time of one CPU: domains that may run on several CPUs would lose nearly all of their CPU time.
refuse_several_cpus() { # live or config, I/O domain, guest, words after "on several"
    [ "$one_cpu" = yes ] || return 0
    [ "$(count_cpus)" != 1 ] || return 0
    cpus=$({ allowed_cpus "$1" io "$2"; allowed_cpus "$1" guest "$3"; } | sort -u)
    case $cpus in
    '' | *[!0-9]*) stop 2 "$seen with both domains on one CPU, but here they may run on several${4:-}: pin both to one CPU first ($pin_words), or caps take nearly all CPU time from them; nothing was changed" ;;
    esac
}

# ---- Originals: of this boot, and of what persist.sh keeps over reboots.

use_places() { # sets the files; a folder that is emptied at reboot, as the live values are, holds the state
    state_dir=${DOMTUNE_STATE_DIR:-}
    if [ -z "$state_dir" ] && [ "$(id -u)" -eq 0 ]; then
        state_dir=/run/domtune
    elif [ -z "$state_dir" ]; then
        [ -n "${XDG_RUNTIME_DIR:-}" ] || stop 2 "no folder for the originals: set DOMTUNE_STATE_DIR"
        state_dir=$XDG_RUNTIME_DIR/domtune
    fi
    state=$state_dir/$bundle.state
    # Where persist.sh has been run, the values that it keeps are set again at boot. The originals are then in this file.
    originals=$keep_dir/$bundle.originals
}

lock_host() { # one script of any bundle at a time
    mkdir -p -- "$state_dir" || stop 2 "cannot keep the originals in $state_dir; run this as root. Nothing was changed"
    if command -v flock >/dev/null; then
        exec 9<"$state_dir"
        flock -n 9 || stop 2 "another script of a bundle works on this host; wait for its end. Nothing was changed"
    fi
    trap 'rmdir -- "$state_dir" 2>/dev/null || :' EXIT
}

original_of() { # file, slot; prints the values that the slot had, nothing when the file does not name the slot
    [ -e "$1" ] || return 0
    values=$(sed -n "s/^$2 //p" "$1")
    case $values in
    *[!0-9a-z/.,:\ -]*) stop 2 "$1 is damaged: '$values' are no values of $2" ;;
    esac
    printf '%s' "$values"
}

given_names() { # prints the variables with which the scripts were called, for messages
    for name in $names_variables; do
        case $name in
        DOMTUNE_IO_GROUP) say "$name='$io_group'" ;;
        DOMTUNE_GUEST_GROUP) say "$name='$guest_group'" ;;
        DOMTUNE_IO_UUID) say "$name='$io_uuid'" ;;
        DOMTUNE_GUEST_UUID) say "$name='$guest_uuid'" ;;
        esac
    done | tr '\n' ' ' | sed 's/ $//'
}

refuse_other_names() { # stops when this bundle was applied under other names
    for other in "$state_dir"/bundle-*.state; do
        if grep -qxF -- "from $source, split $split" "$other" 2>/dev/null; then
            stop 2 "this bundle was applied to others; run rollback.sh with $(sed -n 's/^for //p' "$other")"
        fi
    done
}

write_file() { # file; text from the input
    (
        umask 077
        cat >"$1.new"
    )
    mv -- "$1.new" "$1"
    sync
}

keep_originals() { # slots whose values are set again at boot; the first run's originals stay
    [ ! -e "$originals" ] || return 0
    lines=
    unknown=yes
    for slot; do
        values=$(original_of "$state" "$slot") || exit 2
        [ -z "$values" ] || unknown=
        target=$(find_domain "$(uuid_of "$slot")") || target=
        [ -n "$values" ] || [ -z "$target" ] || values=$(read_line "$slot" "$target")
        [ -n "$values" ] || [ "$slot" != io ] || stop 2 "the parameters of the I/O domain cannot be read; nothing was changed"
        [ -z "$values" ] || lines="$lines$slot $values
"
        [ -z "$values" ] || [ "$values" = "$(wanted_of "$slot")" ] || unknown=
    done
    [ -z "$lines" ] || [ -z "$unknown" ] ||
        stop 2 "another program set this split: its original settings are not known. If DomTune applied it, run 'domtune revert', then apply.sh and persist.sh; nothing was changed"
    mkdir -p -- "$keep_dir"
    printf '%s' "$lines" | write_file "$originals"
}

uuid_of() { # slot
    case $1 in
    io*) printf '%s\n' "$io_uuid" ;;
    *) printf '%s\n' "$guest_uuid" ;;
    esac
}

restore_slot() { # slot
    values=$(original_of "$before" "$1") || exit 2
    if [ -z "$values" ]; then
        say "ok        $1: not set since the last reboot; nothing to restore"
        return 0
    fi
    running=$(find_domain "$(uuid_of "$1")") || running=
    if [ -z "$running" ]; then
        say "ok        $1: no running domain has the UUID $(uuid_of "$1"); nothing to restore"
        return 0
    fi
    wrong=0
    for target in $running; do # two while it is being migrated
        # shellcheck disable=SC2086 # values are words
        check "$1" "$target" "$values" >/dev/null || set_values "$1" "$target" $values || wrong=1
        check "$1" "$target" "$values" || wrong=1
    done
    return "$wrong"
}

# ---- Files of systemd that outlast a reboot. Each names its bundle; bundles for other domains leave it alone.

is_own() { # file
    grep -qxF "# $bundle" "$1" 2>/dev/null
}

is_foreign() { # file
    [ -e "$1" ] && grep -q '^# DomTune' "$1" && ! is_own "$1"
}

refuse_foreign_file() { # file
    ! is_foreign "$1" ||
        stop 2 "$1 belongs to another bundle of DomTune ($(sed -n 1p "$1")); run that bundle's rollback.sh first; nothing was changed"
}

head_lines() { # the first lines of such a file
    say "# DomTune, $source, split $split"
    say "# $bundle"
}

replace_file() { # file; its text from the input; a file of somebody else is set aside
    cat >"$1.new"
    if [ -e "$1" ] && ! is_own "$1"; then
        cp -p -- "$1" "$1.before"
    fi
    mv -- "$1.new" "$1"
}

remove_file() { # file; restores one that was set aside
    rm -f -- "$1"
    [ ! -e "$1.before" ] || mv -- "$1.before" "$1"
    say "ok        $1 has its original value"
}

systemd_runs() {
    [ -z "${DOMTUNE_ETC:-}" ] && [ -d /run/systemd/system ]
}

# ---- Defaults that a toolstack may replace.

# shellcheck disable=SC2034 # for rollback.sh
forget_first=no # what holds now comes first: under a small share, systemd may need minutes to forget what was kept
pin_words='' names_variables='' io_target='' guest_target='' before=''
keep_dir=${DOMTUNE_ETC:-/etc}/domtune
settle() { # waits until the host would have changed values again by itself; fails when it never does
    return 1
}
prepare() { :; }
refuse_busy() { :; }
note_differences() { :; }
make_targets() { :; }
note_targets() { :; }
restore_made() { :; }

read_conf
use_placement
# Bundles for the same two domains share the name in their files and in their unit.
name_bundle() { # identity of the host, the I/O domain and the guest
    bundle=bundle-$(printf '%s\n' "$@" | cksum | cut -d ' ' -f 1)
}
case $toolstack in
cgroup)
    # shellcheck source=parts/cgroup.sh
    . "$script_folder/parts/cgroup.sh"
    ;;
xen)
    # shellcheck source=parts/xen.sh
    . "$script_folder/parts/xen.sh"
    ;;
libvirt)
    # shellcheck source=parts/libvirt.sh
    . "$script_folder/parts/libvirt.sh"
    ;;
esac
prepare
use_places
