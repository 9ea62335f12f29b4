#!/bin/sh
# shellcheck disable=SC2317,SC2329 # called by guard.sh, which takes these functions in
# What the installed helper lets an account do that is not root: set scheduler
# parameters, and the number of a guest's vCPUs, by number, and no more.
# ---
PROGRAMS="@PROGRAMS@"

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
    case ${2:-} in sched-credit | sched-credit2 | sched-rtds | sched-sedf) ;; *) return 1 ;; esac
    shift 2
    for word; do
        case $word in
            @ | all | -[bcdelpsvw]) ;; # none of them sets anything for the whole host
            '' | *[!0-9.]*) return 1 ;;
        esac
    done
}

# a_put LINE: put dom0|UUID PROGRAM WORD...
a_put() {
    set -f
    # shellcheck disable=SC2086 # to be split into words; none of them holds anything that is expanded
    set -- $1
    [ "${1:-}" = put ] || return 1
    case ${2:-}${4:-} in dom0vcpu-set) return 1 ;; esac
    case ${2:-} in dom0) ;; '' | *[!0-9a-f-]*) return 1 ;; esac
    shift 2
    a_change "$@"
}

permitted() {
    if [ "$1" = change ]; then
        shift && a_change "$@"
        return
    fi
    # It becomes a script that root runs: first no character that a shell looks at, then only what it knows.
    # Counted, since a shell drops a NUL from what a command said.
    [ "$(tr -d 'a-zA-Z0-9@/._\n -' <given | wc -c)" -eq 0 ] || return 1
    # The last line may lack its end: it is looked at all the same.
    while IFS= read -r line || [ -n "$line" ]; do
        a_put "$line" || return 1
    done <given
}
