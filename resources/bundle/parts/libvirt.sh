# libvirt, through virsh. Read by common.sh. A target is a domain's UUID.
# shellcheck shell=sh
pin_words='LXC: the cpuset of <vcpu>; QEMU: virsh vcpupin and emulatorpin, and --config to keep it'
names_variables='DOMTUNE_IO_UUID DOMTUNE_GUEST_UUID'

prepare() {
    check_uuids
    uri=${DOMTUNE_URI:-$uri}
    name_bundle "$uri" "$io_uuid" "$guest_uuid"
    command -v virsh >/dev/null || stop 2 "'virsh' is not here; install libvirt's clients"
    keep_dir=${DOMTUNE_KEEP_DIR:-}
    if [ -z "$keep_dir" ] && [ "$(id -u)" -eq 0 ]; then
        keep_dir=/var/lib/domtune
    elif [ -z "$keep_dir" ]; then
        keep_dir=${XDG_STATE_HOME:-$HOME/.local/state}/domtune
    fi
    kept_prefix=$keep_dir/$bundle
}

ask() { # words of virsh
    virsh -q -c "$uri" "$@"
}

find_domain() { # UUID; prints it when the domain runs
    # libvirt 9 ends when it is asked for the parameters of an LXC domain that is shut off.
    case $(ask domstate "$1" 2>/dev/null) in
    running* | paused* | idle*) printf '%s\n' "$1" ;;
    esac
}

count_cpus() {
    ask nodeinfo | awk -F ': *' '$1 == "CPU(s)" { print $2 }'
}

allowed_cpus() { # live or config, role, domain; prints the CPUs that it may run on, a line each
    pins=vcpupin
    case $(names_of "$2") in
    emulator_*) pins=emulatorpin ;;
    esac
    allowed=$(ask "$pins" "$3" "--$1" 2>/dev/null | awk 'NF { print $NF }')
    if [ -z "$allowed" ]; then # LXC knows no pins, only the set of CPUs in the domain's description
        case $1 in
        live) description=$(ask dumpxml "$3") ;;
        *) description=$(ask dumpxml --inactive "$3") ;;
        esac
        allowed=$(printf '%s\n' "$description" | sed -n "s/.*<vcpu[^>]* cpuset='\([^']*\)'.*/\1/p")
    fi
    printf '%s\n' "${allowed:-all}"
}

names_of() { # slot; prints libvirt's names of its values
    case $1 in
    io*) printf '%s\n' "$io_names" ;;
    *) printf '%s\n' "$guest_names" ;;
    esac
}

value_names() { # slot
    names_of "$1"
}

read_as() { # live or config, slot, domain; prints its values
    case $2 in
    *-place) read_pins "$1" "$3" "$(wanted_of "$2")" ;;
    *) read_parameters "$@" ;;
    esac
}

read_pins() { # live or config, domain, words of the threads; prints THREAD:CPUS of each, in one line
    # shellcheck disable=SC2086 # words of the threads
    for kind in $(printf '%s\n' $3 | sed 's/[0-9]*:.*//' | sort -u); do
        case $kind in
        vcpu) list_pins vcpupin "$2" "--$1" ;;
        emulator) list_pins emulatorpin "$2" "--$1" ;;
        iothread) list_pins iothreadinfo "$2" "--$1" ;;
        esac
    done | sed 's/ /:/' | sort_pins
}

list_pins() { # command of virsh, its words; prints thread and CPUs, a line each
    ask "$@" 2>/dev/null | awk -v kind="$1" '
        /^ *[0-9*]+:? / {
            number = $1
            sub(/:$/, "", number)
            if (kind == "vcpupin") print "vcpu" number, $NF
            else if (kind == "iothreadinfo") print "iothread" number, $NF
            else print "emulator", $NF
        }'
}

sort_pins() { # in the order of split.conf: vCPUs, emulator, I/O threads, each by its number
    awk '{
        rank = /^vcpu/ ? 1 : /^emulator/ ? 2 : 3
        number = $0
        sub(/:.*/, "", number)
        gsub(/[a-z]/, "", number)
        print rank, number + 0, $0
    }' | sort -k 1,1n -k 2,2n | cut -d ' ' -f 3 | tr '\n' ' ' | sed 's/ *$//'
}

read_parameters() { # live or config, slot, domain; prints the values in the order of names_of
    ask schedinfo "$3" "--$1" | awk -F ' *: *' -v names="$(names_of "$2")" '
        { have[$1] = $2 }
        END {
            count = split(names, wanted, " ")
            for (i = 1; i <= count; i++) {
                value = have[wanted[i]]
                # "No limit" is -1; version 2 of control groups gives a number beyond the largest quota instead.
                if (wanted[i] ~ /_quota$/ && (value < 0 || value > 17592186044415)) value = -1
                printf "%s%s", value, (i < count ? " " : "\n")
            }
        }'
}

read_values() { # slot, domain
    read_as live "$1" "$2"
}

set_as() { # live or config, slot, domain, values
    case $2 in
    *-place)
        set_pins "$@"
        return
        ;;
    esac
    how=$1
    domain=$3
    names=$(names_of "$2")
    shift 3
    # One parameter after the other: a call with several keeps the first ones when it refuses a later one. Quotas are
    # lifted first, for the old one might forbid the new period.
    for name in $names; do
        case $name in
        *_quota) ask schedinfo "$domain" "--$how" --set "$name=-1" >/dev/null || return 1 ;;
        esac
    done
    for name in $names; do
        ask schedinfo "$domain" "--$how" --set "$name=$1" >/dev/null || return 1
        shift
    done
}

set_pins() { # live or config, slot, domain, THREAD:CPUS
    how=$1
    domain=$3
    shift 3
    for pin; do
        thread=${pin%%:*}
        case $thread in
        vcpu*) ask vcpupin "$domain" "${thread#vcpu}" "${pin#*:}" "--$how" >/dev/null || return 1 ;;
        emulator) ask emulatorpin "$domain" "${pin#*:}" "--$how" >/dev/null || return 1 ;;
        *) ask iothreadpin "$domain" "${thread#iothread}" "${pin#*:}" "--$how" >/dev/null || return 1 ;;
        esac
    done
}

set_values() { # slot, domain, values
    set_as live "$@"
}

# ---- Over a restart of a domain: its configuration, kept whole before it is changed.

definition() { # UUID
    ask dumpxml --inactive --security-info "$1"
}

uuids() { # each domain once: with an emulator both roles are one domain
    printf '%s\n' "$io_uuid" "$guest_uuid" | sort -u
}

keep() {
    for uuid in $(uuids); do
        for other in "$keep_dir"/bundle-*-"$uuid.xml"; do
            [ "$other" = "$kept_prefix-$uuid.xml" ] || [ ! -e "$other" ] ||
                stop 2 "another bundle of DomTune changed the configuration of $uuid ($other); run that bundle's rollback.sh first; nothing was changed"
        done
    done
    find_targets
    refuse_several_cpus config "$io_uuid" "$guest_uuid" " after their next start"
    # shellcheck disable=SC2086 # slots are words
    keep_originals $slots
    for uuid in $(uuids); do
        keep_definition "$uuid"
    done
    for slot in $slots; do
        # shellcheck disable=SC2046 # values are words
        set_as config "$slot" "$(uuid_of "$slot")" $(wanted_of "$slot") ||
            stop 1 "the configuration of $(uuid_of "$slot") was not taken"
    done
    for uuid in $(uuids); do
        definition "$uuid" | cksum >"$kept_prefix-$uuid.sum"
    done
}

keep_definition() { # UUID; the first run's stays
    [ ! -e "$kept_prefix-$1.xml" ] || return 0
    text=$(definition "$1")
    [ -n "$text" ] || stop 2 "libvirt does not give the definition of $1"
    printf '%s\n' "$text" | write_file "$kept_prefix-$1.xml"
}

check_kept() {
    unkept=0
    for slot in $slots; do
        [ -e "$kept_prefix-$(uuid_of "$slot").xml" ] || continue
        got=$(read_as config "$slot" "$(uuid_of "$slot")")
        if [ "$got" = "$(wanted_of "$slot")" ]; then
            say "ok        $slot: configured for its next start"
        else
            say "MISMATCH  $slot: configured $got, expected $(wanted_of "$slot")"
            unkept=1
        fi
    done
    return "$unkept"
}

forget_kept() {
    unkept=0
    for uuid in $(uuids); do
        forget_definition "$uuid" || unkept=1
    done
    return "$unkept"
}

forget_definition() { # UUID
    kept=$kept_prefix-$1.xml
    [ -e "$kept" ] || return 0
    if [ "$(definition "$1" | cksum)" != "$(cat "$kept_prefix-$1.sum" 2>/dev/null)" ]; then
        say "MISMATCH  the configuration of $1 was changed since by another program; the original is in $kept"
        return 1
    fi
    ask define "$kept" >/dev/null || return 1
    if [ "$(definition "$1" | cksum)" != "$(cksum <"$kept")" ]; then
        say "MISMATCH  the configuration of $1 does not read back as the original, which is in $kept"
        return 1
    fi
    rm -f -- "$kept" "$kept_prefix-$1.sum"
    say "ok        the configuration of $1 has its original value"
}
