#!/bin/sh
# shellcheck disable=SC2317 # `put`, `placed` and `sized` are called by the lines that a sweep adds
# Restores the changes of one sweep. Numbers only; guests are found by UUID, since a reboot gives them a new number.
# Commands for libvirt begin with: virsh -q -c URI.
# Argument `check`: look for guests and programs, change nothing. Exit: 0 done, 3 done but a guest is gone, 1 not all
# done.
check=${1:-} rc=0 gone='' limit='' found=''
PATH="$PATH:/usr/sbin:/usr/bin:/sbin:/bin"
export PATH LC_ALL=C
! timeout 5 true 2>/dev/null || limit='timeout -k 2 20'
# ids_of dom0|UUID|libvirt:UUID COMMAND...
ids_of() {
    case $1 in
        dom0) echo 0 && return ;;
        libvirt:*)
            ids_all=$($limit "$2" "$3" "$4" "$5" list --uuid) || return 1
            for id in $ids_all; do [ "libvirt:$id" != "$1" ] || echo "$id"; done
            return 0
            ;;
    esac
    ids_all=$($limit xenstore-list /local/domain) || return 1
    for id in $ids_all; do
        case $id in *[!0-9]*) continue ;; esac
        case $($limit xenstore-read "/local/domain/$id/vm" 2>/dev/null) in "/vm/$1" | "/vm/$1"-*) echo "$id" ;; esac
    done
}
# put_one ID COMMAND...: every argument @ of the command becomes ID.
put_one() {
    id=$1 && shift && left=$#
    while [ "$left" -gt 0 ]; do
        word=$1 && shift && left=$((left - 1))
        [ "$word" != @ ] || word=$id
        set -- "$@" "$word"
    done
    answer=$($limit "$@" 2>&1 </dev/null) || case $answer in
        *' busy'*) answer=$($limit "$@" 2>&1 </dev/null) ;; # Dom0's kernel pins a vCPU of its own for a moment
        *) false ;;
    esac || { rc=1 && echo "failed: $*: $answer"; }
}
# find_ids dom0|UUID|libvirt:UUID COMMAND...: ids=NUMBERS of the domain, looked up once for lines in a row.
find_ids() {
    [ "$1" != "$found" ] || return 0
    found=''
    ids=$(ids_of "$@") || { rc=1 && echo "cannot look for $1" && return 1; }
    found=$1
}
# put dom0|UUID|libvirt:UUID COMMAND...
put() {
    find_ids "$@" || return
    who=$1 && shift
    [ -n "$ids" ] || { gone=yes && echo "guest $who is gone" && return; }
    [ -z "$check" ] || { command -v "$1" >/dev/null || { rc=1 && echo "the host has no $1"; }; return; }
    for each in $ids; do put_one "$each" "$@"; done
}
# placed dom0|UUID PROGRAM MASK...: check that vCPU 0, 1, ... may run on these CPUs; `vcpu-pin` can fail with code 0.
placed() {
    who=$1 program=$2 && shift 2
    [ -z "$check" ] || return 0
    find_ids "$who" || return
    for each in $ids; do
        shown=$($limit "$program" vcpu-list "$each" </dev/null)
        vcpu=0
        for mask; do
            pattern=$mask
            [ "$mask" != all ] || pattern='(all|any( cpu)?)'
            printf '%s\n' "$shown" | grep -Eq " $each +$vcpu +([0-9]+|-) +[rbp-]+ +[0-9.]+ +$pattern *( / .*)?\$" ||
                { rc=1 && echo "vCPU $vcpu of $who is not on CPU $mask"; }
            vcpu=$((vcpu + 1))
        done
    done
}
# sized UUID PROGRAM NUMBER: wait until the guest uses so many vCPUs; xl can report success without that.
sized() {
    [ -z "$check" ] || return 0
    find_ids "$1" || return
    for each in $ids; do
        tries=20
        until [ "$($limit "$2" vcpu-list "$each" </dev/null | grep -Ec " $each +[0-9]+ +[0-9]+ +[rbp-]+ +[0-9.]+ ")" -eq "$3" ]; do
            tries=$((tries - 1))
            [ "$tries" -gt 0 ] || { rc=1 && echo "guest $1 does not use $3 vCPUs" && break; }
            sleep 1
        done
    done
}
# @LINES@
[ "$rc" -eq 0 ] || exit 1
[ -z "$gone" ] || exit 3
exit 0 # complete
