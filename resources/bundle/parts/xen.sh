# Xen's toolstacks, xl and xm, and XAPI's store. Read by common.sh. A target is a domain's number.
# shellcheck shell=sh
dom0=00000000-0000-0000-0000-000000000000
pin_words='xl vcpu-pin'
names_variables='DOMTUNE_IO_UUID DOMTUNE_GUEST_UUID'

prepare() {
    check_uuids
    name_bundle xen "$io_uuid" "$guest_uuid"
    unit=${DOMTUNE_ETC:-/etc}/systemd/system/domtune-dom0.service
    wants=${DOMTUNE_ETC:-/etc}/systemd/system/multi-user.target.wants/domtune-dom0.service
    # XAPI keeps a guest's weight and cap; they count when the guest is next built, and only under the credit scheduler.
    kept_by_xapi=$keep_dir/$bundle-$guest_uuid.xapi
    program=$(command -v "$tool") ||
        stop 2 "'$tool' is not here; run this in Dom0, as root. DOMTUNE_XEN_SBIN names the folder that it is in"
}

find_domain() { # UUID; prints the domain's number, nothing when it is not there
    if [ "$1" = "$dom0" ]; then
        echo 0
        return 0
    fi
    for number in $(xenstore-list /local/domain 2>/dev/null); do
        case $number in
        *[!0-9]*) continue ;;
        esac
        if [ "$(xenstore-read "/local/domain/$number/vm" 2>/dev/null)" = "/vm/$1" ]; then
            echo "$number"
        fi
    done
}

info_of() { # key; prints its value
    "$tool" info 2>/dev/null | awk -v key="$1" '$1 == key { sub(/^[^:]*: */, ""); print; exit }'
}

count_cpus() {
    info_of nr_cpus
}

allowed_cpus() { # live, role, domain; prints the CPUs that its vCPUs in use may run on, a line each
    "$tool" vcpu-list "$3" | awk 'NR > 1 { sub(/ \/ .*/, ""); if (NF > 4 && $(NF - 3) != "-") print $NF }'
}

refuse_busy() {
    for armed in "$state_dir"/*/armed; do
        [ ! -e "$armed" ] || stop 2 "a sweep, or what follows it, holds this host ($armed); wait for its end, or restore it first"
    done
}

note_differences() {
    expect Xen "$version" "$(info_of xen_version)"
    expect CPUs "$pcpus" "$(count_cpus)"
}

settle() { # some vendors' hypervisors compute Dom0's weight again a moment later
    sleep "${DOMTUNE_SETTLE_S:-2}"
}

value_names() { # slot
    case $scheduler in
    credit | credit2) say "weight, cap" ;;
    rtds) say "period/budget/extra time of each vCPU" ;;
    sedf) say "period, slice, latency, extra time, weight" ;;
    esac
}

read_values() { # slot, domain
    case $1-$scheduler in
    *-place-*) read_pins "$2" ;;
    *-credit | *-credit2) read_weight_and_cap "$2" ;;
    *-rtds) read_budgets "$2" ;;
    *-sedf) read_slices "$2" ;;
    esac
}

read_pins() { # domain; prints vcpuN:CPUS of each vCPU, its hard affinity
    "$tool" vcpu-list "$1" | awk 'NR > 1 {
        sub(/ \/ .*/, "")
        sub(/any cpu *$/, "all")
        if (NF > 5) print $(NF - 4), "vcpu" $(NF - 4) ":" $NF
    }' | sort -n | cut -d ' ' -f 2
}

read_weight_and_cap() { # domain
    "$tool" "sched-$scheduler" -d "$1" | awk -v id="$1" '
        !head && $1 == "Name" { head = 1; capped = ($NF == "Cap"); next }
        head && capped && NF > 3 && $(NF - 2) == id { print $(NF - 1), $NF }
        head && !capped && NF > 2 && $(NF - 1) == id { print $NF, 0 }'
}

read_budgets() { # domain; prints PERIOD/BUDGET/EXTRATIME of each vCPU
    "$tool" sched-rtds -d "$1" -v all | awk -v id="$1" '
        !head && $1 == "Name" { head = 1; extra = ($NF == "Extratime"); next }
        head && extra && NF > 5 && $(NF - 4) == id { print $(NF - 3), $(NF - 2) "/" $(NF - 1) "/" ($NF == "yes") }
        head && !extra && NF > 4 && $(NF - 3) == id { print $(NF - 2), $(NF - 1) "/" $NF "/0" }' |
        sort -n | cut -d ' ' -f 2
}

read_slices() { # domain; prints period, slice and latency in ms, extra time, weight
    if [ "$tool" = xl ]; then
        set -- -d "$1"
    fi
    "$tool" sched-sedf "$@" | awk -v id="${2:-$1}" '
        !head && $1 == "Name" { head = 1; next }
        head && NF > 6 && $(NF - 5) == id { print $(NF - 4) + 0, $(NF - 3) + 0, $(NF - 2) + 0, $(NF - 1) + 0, $NF + 0 }'
}

commands_of() { # slot, domain, values; prints the words of each call that sets them
    case $1-$scheduler in
    *-place-*) pin_commands "$@" ;;
    *-credit | *-credit2) say "sched-$scheduler -d $2 -w $3 -c $4" ;;
    *-rtds) budget_commands "$@" ;;
    *-sedf) slice_command "$@" ;;
    esac
}

pin_commands() { # slot, domain, vcpuN:CPUS of each vCPU
    domid=$2
    shift 2
    for pin; do
        # One vCPU in a call: with "all" a failure would end with code 0. Soft affinity stays.
        vcpu=${pin%%:*}
        say "vcpu-pin $domid ${vcpu#vcpu} ${pin#*:}"
    done
}

budget_commands() { # slot, domain, PERIOD/BUDGET/EXTRATIME of each vCPU
    domid=$2
    vcpu=0
    shift 2
    for setting; do
        rest=${setting#*/}
        more=
        [ "$extratime" = no ] || more=" -e ${rest#*/}"
        # One call for each vCPU: several in one call overrun a buffer in xl.
        say "sched-rtds -d $domid -v $vcpu -p ${setting%%/*} -b ${rest%/*}$more"
        vcpu=$((vcpu + 1))
    done
}

slice_command() { # slot, domain, period, slice, latency, extra time, weight
    id=$2
    [ "$tool" != xl ] || id="-d $2"
    if [ "$7" -gt 0 ]; then
        say "sched-sedf $id -w $7 -e $6"
    elif [ "$4" = 0 ]; then
        # A slice of 0 is refused; a weight with extra time makes a domain without a reservation.
        say "sched-sedf $id -w 1 -e 1"
    else
        say "sched-sedf $id -p $3 -s $4 -l $5 -e $6"
    fi
}

set_values() { # slot, domain, values
    commands_of "$@" | while read -r words; do
        # shellcheck disable=SC2086 # words of one call
        "$tool" $words </dev/null || exit 1
    done
}

# ---- Over a reboot: a unit that sets Dom0 at boot, and XAPI's values of the guest.

unit_text() { # with the toolstack's command as it is found here: not every host has it in /usr/sbin
    head_lines
    cat <<'END'
[Unit]
Description=Scheduler parameters of Dom0, as set by DomTune
After=xenstored.service xen-init-dom0.service xenconsoled.service xen.service
ConditionPathExists=/proc/xen/capabilities

[Service]
Type=oneshot
RemainAfterExit=yes
END
    for slot in $slots; do
        # shellcheck disable=SC2046,SC2086 # values are words
        [ "${slot%%-*}" != io ] || commands_of "$slot" 0 $(wanted_of "$slot")
    done | sed "s|^|ExecStart=$program |"
    cat <<'END'

[Install]
WantedBy=multi-user.target
END
}

reload() {
    ! systemd_runs || systemctl daemon-reload
}

xapi_value() { # key; prints its value, "-" when there is none
    xe vm-param-get uuid="$guest_uuid" param-name=VCPUs-params param-key="$1" 2>/dev/null || echo -
}

set_xapi_value() { # key, value or "-"
    if [ "$2" != - ]; then
        xe vm-param-set uuid="$guest_uuid" VCPUs-params:"$1"="$2"
    elif [ "$(xapi_value "$1")" != - ]; then
        xe vm-param-remove uuid="$guest_uuid" param-name=VCPUs-params param-key="$1"
    fi
}

check_xapi_value() { # key, value
    if [ "$(xapi_value "$1")" = "$2" ]; then
        say "ok        XAPI's $1 of the guest: $2 (applies when the VM is next built: start, reboot, resume, migration)"
    else
        say "MISMATCH  XAPI's $1 of the guest: $(xapi_value "$1"), expected $2"
        return 1
    fi
}

wanted_by_xapi() { # prints key and value, a line each
    # shellcheck disable=SC2086 # values are words
    set -- $guest_values
    say "weight $1"
    say "cap $2"
    [ -z "$guest_mask" ] || say "mask $guest_mask"
}

keep() {
    if [ "$io_uuid" = "$dom0" ]; then
        case $program in
        [!/]* | *[!A-Za-z0-9/._+-]*) stop 2 "'$program' is no path that a systemd unit can call" ;;
        esac
        refuse_capped_dom0
        refuse_foreign_file "$unit"
    fi
    if [ "$xapi" = yes ]; then
        for other in "$keep_dir"/bundle-*-"$guest_uuid.xapi"; do
            [ "$other" = "$kept_by_xapi" ] || [ ! -e "$other" ] ||
                stop 2 "another bundle of DomTune changed XAPI's values of $guest_uuid ($other); run that bundle's rollback.sh first; nothing was changed"
        done
    fi
    keep_originals_here
    if [ "$io_uuid" = "$dom0" ]; then
        mkdir -p -- "$(dirname -- "$wants")"
        unit_text | replace_file "$unit"
        ln -sf -- ../domtune-dom0.service "$wants" # what 'systemctl enable' does
        reload
    else
        say "note      the I/O domain is not Dom0: put the lines of io.cfg into its configuration"
    fi
    if [ "$xapi" = yes ]; then
        keep_by_xapi
    elif [ -z "$guest_place" ] && { [ "$scheduler" = rtds ] || [ "$scheduler" = sedf ]; }; then
        say "note      the guest: run apply.sh after each of its starts; its file has no keys for this scheduler"
    else
        say "note      the guest: put the lines of guest.cfg into its configuration file"
    fi
}

refuse_capped_dom0() {
    [ "$one_cpu" = yes ] || return 0
    case "$(count_cpus) $(info_of xen_commandline) " in
    '1 '* | *' dom0_max_vcpus=1 '*) ;;
    *) stop 2 "pins are gone after a reboot: Dom0 would be capped while it may run on several CPUs. Boot Xen with dom0_max_vcpus=1, or keep weights instead; nothing was changed" ;;
    esac
}

keep_originals_here() { # of what is set again at boot
    kept_slots=
    for slot in $slots; do
        case $slot in
        io*) [ "$io_uuid" != "$dom0" ] || kept_slots="$kept_slots $slot" ;;
        guest*) [ "$xapi" = no ] || kept_slots="$kept_slots $slot" ;;
        esac
    done
    # shellcheck disable=SC2086 # slots are words
    [ -z "$kept_slots" ] || keep_originals $kept_slots
}

keep_by_xapi() {
    if [ ! -e "$kept_by_xapi" ]; then
        mkdir -p -- "$keep_dir"
        wanted_by_xapi | while read -r key _; do
            say "$key $(xapi_value "$key" </dev/null)"
        done | write_file "$kept_by_xapi"
    fi
    wanted_by_xapi | while read -r key value; do
        set_xapi_value "$key" "$value" </dev/null
    done
}

check_xapi_values() { # key and value from the input, a line each
    unlike=0
    while read -r key value; do
        check_xapi_value "$key" "$value" </dev/null || unlike=1
    done
    return "$unlike"
}

check_kept() {
    unkept=0
    if [ "$io_uuid" != "$dom0" ]; then
        :
    elif is_foreign "$unit"; then
        say "note      $unit belongs to another bundle, which sets Dom0 at boot"
    elif [ ! -e "$unit" ]; then
        :
    elif systemd_runs && systemctl is-failed --quiet domtune-dom0.service; then
        say "MISMATCH  $unit failed at the last boot: systemctl status domtune-dom0.service"
        unkept=1
    elif unit_text | cmp -s - "$unit" && [ -e "$wants" ]; then
        say "ok        $unit sets Dom0 at boot"
    else
        say "MISMATCH  $unit differs from the version of persist.sh, or is not enabled"
        unkept=1
    fi
    [ ! -e "$kept_by_xapi" ] || wanted_by_xapi | check_xapi_values || unkept=1
    return "$unkept"
}

forget_kept() {
    unkept=0
    if is_foreign "$unit"; then
        say "note      $unit belongs to another bundle and stays: Dom0 is set at boot until that bundle's rollback.sh"
    elif is_own "$unit"; then
        rm -f -- "$wants"
        remove_file "$unit"
        reload
    fi
    if [ -e "$kept_by_xapi" ]; then
        while read -r key value; do
            set_xapi_value "$key" "$value" </dev/null
        done <"$kept_by_xapi"
        check_xapi_values <"$kept_by_xapi" && rm -f -- "$kept_by_xapi" || unkept=1
    fi
    return "$unkept"
}
