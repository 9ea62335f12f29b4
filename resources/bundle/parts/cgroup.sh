# Control groups, version 1 or 2. Read by common.sh. A target is a group's folder.
# shellcheck shell=sh
names_variables='DOMTUNE_IO_GROUP DOMTUNE_GUEST_GROUP'

prepare() {
    own_groups=no
    if [ -n "${DOMTUNE_IO_GROUP:-}${DOMTUNE_GUEST_GROUP:-}" ]; then
        own_groups=yes
    fi
    io_group=${DOMTUNE_IO_GROUP:-$io_group} guest_group=${DOMTUNE_GUEST_GROUP:-$guest_group}
    for group in "$io_group" "$guest_group"; do
        case "/$group/" in
        */../* | */./* | *//* | *'
'*) stop 2 "'$group' is not the name of a control group" ;;
        esac
    done
    refuse_inside "$io_group" "$guest_group"
    refuse_inside "$guest_group" "$io_group"
    find_base
    io_target=$base/$io_group
    guest_target=$base/$guest_group
    name_bundle "$io_target" "$guest_target"
    prepare_units
    # A weight counts against every group next to it. In groups of your own the same ratio is set around the kernel's
    # default, so that what else runs there keeps its share.
    if [ "$own_groups" = yes ] && [ -n "$io_values_near" ]; then
        io_values=$io_values_near guest_values=$guest_values_near
        io_settings=$io_settings_near guest_settings=$guest_settings_near
    fi
}

refuse_inside() { # group, group that must not hold it
    case $1/ in
    "$2"/*) stop 2 "'$1' is inside '$2': the two groups have to be apart" ;;
    esac
}

find_base() {
    base=${DOMTUNE_CGROUP_BASE:-}
    if [ -z "$base" ] && [ "$cgroup_version" = 1 ]; then
        base=$(awk '$3 == "cgroup" && ("," $4 ",") ~ /,cpu,/ { print $2; exit }' /proc/mounts)
    elif [ -z "$base" ]; then
        base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
    fi
    if [ -z "$base" ] || [ ! -d "$base" ]; then
        stop 2 "no CPU controller of control groups, version $cgroup_version, is mounted here; make scripts for this host itself"
    fi
    for controller in $(controllers); do
        grep -qw "$controller" "$base/cgroup.controllers" ||
            stop 2 "the controller $controller is not available in $base; give a folder that has it as DOMTUNE_CGROUP_BASE"
    done
}

find_targets() { # groups that were named must be there; DomTune's own are made
    for named in "${DOMTUNE_IO_GROUP:-}" "${DOMTUNE_GUEST_GROUP:-}"; do
        [ -z "$named" ] || [ -d "$base/$named" ] ||
            stop 2 "there is no control group '$named' in $base; nothing was changed"
    done
}

note_differences() {
    expect kernel "$version" "$(uname -r)"
    expect CPUs "$pcpus" "$(getconf _NPROCESSORS_ONLN)"
    [ "$own_groups" = no ] || [ "$mode" != weights ] ||
        [ "$(dirname -- "$io_target")" = "$(dirname -- "$guest_target")" ] ||
        say "note      the two groups are not siblings, so weights do not divide the CPU between them"
}

value_names() { # slot
    say "weight, quota, period"
}

read_values() { # slot, folder; prints weight, quota, period
    if [ ! -d "$2" ]; then
        say absent
    elif [ "${1%-place}" != "$1" ]; then
        cpus=$(cat "$2/cpuset.cpus" 2>/dev/null) || cpus=
        say "vcpu0:${cpus:-any}"
    elif [ "$cgroup_version" = 1 ]; then
        cat "$2/cpu.shares" "$2/cpu.cfs_quota_us" "$2/cpu.cfs_period_us"
    else
        cat "$2/cpu.weight" "$2/cpu.max"
    fi
}

put() { # file, value
    printf '%s\n' "$2" >"$1" || say "could not write '$2' to $1"
}

set_values() { # slot, folder, weight, quota in us (-1 or max for none), period in us; or the CPUs
    if [ "${1%-place}" != "$1" ]; then
        cpus=${3#vcpu0:}
        put "$2/cpuset.cpus" "${cpus#any}"
    elif [ "$cgroup_version" = 1 ]; then
        put "$2/cpu.cfs_quota_us" -1 # the quota in force might forbid the new period
        put "$2/cpu.shares" "$3"
        put "$2/cpu.cfs_period_us" "$5"
        put "$2/cpu.cfs_quota_us" "$4"
    else
        put "$2/cpu.weight" "$3"
        put "$2/cpu.max" "$4 $5"
    fi
}

controllers() { # prints the controllers that the groups need
    if [ "$cgroup_version" = 1 ]; then
        :
    elif [ -z "$io_place" ]; then
        say cpu
    else
        say cpu cpuset
    fi
}

passes_on() { # controller, folder
    grep -qw "$1" "$2/cgroup.subtree_control" 2>/dev/null
}

note_targets() { # prints what make_targets will make, the innermost first
    for folder in "$io_target" "$guest_target"; do
        path=$folder
        while [ ! -d "$path" ]; do
            say "made $path"
            path=$(dirname -- "$path")
        done
        [ "$cgroup_version" = 2 ] || continue
        while [ "$path" != "$(dirname -- "$base")" ] && [ "$path" != "$folder" ]; do
            for controller in $(controllers); do
                passes_on "$controller" "$path" || say "enabled $controller $path"
            done
            path=$(dirname -- "$path")
        done
    done
}

make_targets() {
    make_folder "$io_target"
    make_folder "$guest_target"
}

make_folder() { # folder; makes it and what lies between it and the base
    if [ "$1" != "$base" ]; then
        make_folder "$(dirname -- "$1")"
        for controller in $(controllers); do
            passes_on "$controller" "$(dirname -- "$1")" ||
                put "$(dirname -- "$1")/cgroup.subtree_control" "+$controller"
        done
        [ -d "$1" ] || mkdir -- "$1"
    fi
}

restore_slot() { # slot
    values=$(original_of "$before" "$1") || exit 2
    folder=$(target_of "$1")
    if [ ! -d "$folder" ]; then
        say "ok        $folder does not exist any more; nothing to restore"
        return 0
    fi
    if [ "$values" = absent ] && [ "${1%-place}" != "$1" ]; then # the group's folder goes
        return 0
    fi
    if [ "$values" = absent ]; then # removed by restore_made; processes inside are free at once
        neutral='100 max 100000'
        [ "$cgroup_version" = 2 ] || neutral='1024 -1 100000'
        # shellcheck disable=SC2086 # values are words
        set_values "$1" "$folder" $neutral
        return 0
    fi
    # shellcheck disable=SC2086 # values are words
    set_values "$1" "$folder" $values
    check "$1" "$folder" "$values"
}

restore_made() { # removes what apply.sh made; fails when something remains
    wrong=0
    while IFS= read -r line; do # the innermost first
        folder=${line#made }
        [ "$folder" != "$line" ] || continue
        rmdir -- "$folder" 2>/dev/null || :
    done <"$before"
    while IFS= read -r line; do
        entry=${line#enabled }
        [ "$entry" != "$line" ] || continue
        controller=${entry%% *} folder=${entry#* }
        put "$folder/cgroup.subtree_control" "-$controller"
        if passes_on "$controller" "$folder"; then
            say "MISMATCH  $folder still passes the controller $controller on"
            wrong=1
        fi
    done <"$before"
    while IFS= read -r line; do
        folder=${line#made }
        if [ "$folder" != "$line" ] && [ -d "$folder" ]; then
            say "MISMATCH  $folder still exists; move its processes out, then run this again"
            wrong=1
        fi
    done <"$before"
    return "$wrong"
}

# ---- Over a reboot: settings of two systemd units.

prepare_units() {
    units=${DOMTUNE_ETC:-/etc}/systemd/system
    io_unit=$(unit_of "${DOMTUNE_IO_GROUP:-}" "$io_slice")
    guest_unit=$(unit_of "${DOMTUNE_GUEST_GROUP:-}" "$guest_slice")
}

unit_of() { # group that was named, slice of the group that was measured; prints nothing where systemd keeps no settings
    case $1 in
    '') printf '%s\n' "$2" ;;
    *.service | *.slice) basename -- "$1" ;;
    esac
}

drop_in_of() { # unit
    printf '%s\n' "$units/$1.d/50-domtune.conf"
}

check_unit() { # group, unit
    [ -n "$2" ] ||
        stop 2 "systemd keeps settings of services and slices over a reboot, and '$1' is neither; nothing was changed"
    refuse_foreign_file "$(drop_in_of "$2")"
}

drop_in_text() { # unit, settings
    head_lines
    case $1 in
    *.service) say '[Service]' ;;
    *) say '[Slice]' ;;
    esac
    # shellcheck disable=SC2086 # a line each
    printf '%s\n' $2
}

keep_unit() { # unit, settings
    file=$(drop_in_of "$1")
    mkdir -p -- "$(dirname -- "$file")"
    drop_in_text "$1" "$2" | replace_file "$file"
    drop_in_text "$1" "$2" | cmp -s - "$file" || stop 1 "$file does not read back as written"
}

keep() {
    check_unit "$io_group" "$io_unit"
    check_unit "$guest_group" "$guest_unit"
    keep_unit "$io_unit" "$io_settings"
    keep_unit "$guest_unit" "$guest_settings"
    if ! systemd_runs; then
        say "note      systemd does not run here; the settings take effect when it does"
        return 0
    fi
    systemctl daemon-reload
    for unit in "$io_unit" "$guest_unit"; do
        systemctl cat -- "$unit" | grep -qF 50-domtune.conf || stop 1 "systemd does not see the settings of $unit"
    done
}

check_kept() {
    unkept=0
    check_kept_unit "$io_unit" "$io_settings" || unkept=1
    check_kept_unit "$guest_unit" "$guest_settings" || unkept=1
    return "$unkept"
}

check_kept_unit() { # unit, settings
    [ -n "$1" ] || return 0
    file=$(drop_in_of "$1")
    [ -e "$file" ] || return 0
    if is_foreign "$file"; then
        say "note      $file belongs to another bundle"
        return 0
    fi
    for setting in $2; do
        if grep -qxF -- "$setting" "$file"; then
            say "ok        $file: $setting"
        else
            say "MISMATCH  $file: no line $setting"
            return 1
        fi
    done
}

# shellcheck disable=SC2034 # for rollback.sh
forget_first=yes # systemd sets a unit's values again when its settings change
forget_kept() {
    changed=no
    for unit in "$io_unit" "$guest_unit"; do
        [ -n "$unit" ] || continue
        file=$(drop_in_of "$unit")
        if is_foreign "$file"; then
            say "note      $file belongs to another bundle and stays"
        elif is_own "$file"; then
            remove_file "$file"
            rmdir -- "$(dirname -- "$file")" 2>/dev/null || :
            changed=yes
        fi
    done
    [ "$changed" = no ] || ! systemd_runs || systemctl daemon-reload
}
