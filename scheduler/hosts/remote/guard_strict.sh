#!/bin/sh
# shellcheck disable=SC2317,SC2329 # called by guard.sh, which takes these functions in
# Changes that the installed helper permits to an account without root: scheduler
# parameters, the number of a guest's vCPUs, and the CPUs of domains that the
# guard restores, by number, and nothing else.
# ---
PROGRAMS="@PROGRAMS@"

a_number() {
    case ${1:-} in '' | *[!0-9]*) return 1 ;; esac
}

# a_mask all|LIST: CPUs on which a vCPU may run.
a_mask() {
    case ${1:-} in all) ;; [0-9]*) case $1 in *[!0-9,-]*) return 1 ;; esac ;; *) return 1 ;; esac
}

# a_domain @|NUMBER: a domain whose CPUs the guard restores, if a guard is armed.
a_domain() {
    case ${1:-} in @) return 0 ;; esac
    a_number "$1" || return 1
    [ -e given ] || return 0
    whose=dom0
    if [ "$1" -ne 0 ]; then
        whose=$(xenstore-read "/local/domain/$1/vm" 2>/dev/null | cut -c 5-40)
        [ -n "$whose" ] || return 1
    fi
    grep -q "^put $whose [^ ]* vcpu-pin " given
}

# a_change PROGRAM WORD...
a_change() {
    case ${1:-} in '' | *[!a-z0-9/._-]*) return 1 ;; esac
    case " $PROGRAMS " in *" $1 "*) ;; *) return 1 ;; esac
    if [ "${2:-}" = vcpu-set ]; then
        [ $# -eq 4 ] || return 1
        case $3 in @) ;; '' | 0* | *[!0-9]*) return 1 ;; esac # not Domain-0's
        case $4 in '' | 0* | *[!0-9]*) return 1 ;; esac
        return 0
    fi
    if [ "${2:-}" = vcpu-pin ]; then
        shift 2
        [ "${1:-}" != -i ] || shift
        { [ $# -eq 3 ] || [ $# -eq 4 ]; } && a_domain "$1" && a_number "$2" && a_mask "$3" && a_mask "${4:-all}"
        return
    fi
    case ${2:-} in sched-credit | sched-credit2 | sched-rtds | sched-sedf) ;; *) return 1 ;; esac
    shift 2
    for word; do
        case $word in
            @ | all | -[bcdelpsvw]) ;; # none of them sets anything for the whole host
            '' | *[!0-9.]*) return 1 ;;
        esac
    done
}

# a_check dom0|UUID PROGRAM MASK...
a_check() {
    case " $PROGRAMS " in *" ${2:-} "*) ;; *) return 1 ;; esac
    shift 2
    for word; do a_mask "$word" || return 1; done
}

# a_put LINE: put dom0|UUID PROGRAM WORD..., placed dom0|UUID PROGRAM MASK..., or sized UUID PROGRAM NUMBER
a_put() {
    set -f
    # shellcheck disable=SC2086 # to be split into words; none of them holds anything that is expanded
    set -- $1
    case ${1:-} in put | placed | sized) ;; *) return 1 ;; esac
    case ${2:-}${4:-} in dom0vcpu-set) return 1 ;; esac
    case ${2:-} in dom0) ;; '' | *[!0-9a-f-]*) return 1 ;; esac
    [ "$1" = put ] || { shift && a_check "$@"; return; }
    shift 2
    a_change "$@"
}

permitted() {
    if [ "$1" = change ]; then
        shift && a_change "$@"
        return
    fi
    # It becomes a script that root runs: first reject every character with a meaning to a shell, then check each line.
    # Counted, since a shell drops a NUL from the output of a command.
    [ "$(tr -d 'a-zA-Z0-9@/.,_\n -' <given | wc -c)" -eq 0 ] || return 1
    # The last line may lack its end; check that line, too.
    while IFS= read -r line || [ -n "$line" ]; do
        a_put "$line" || return 1
    done <given
}
