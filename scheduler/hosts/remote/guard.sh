#!/bin/sh
# domtune-guard: restores a host whose scheduler parameters a sweep changes, if the sweep fails.
#
#   guard.sh BASE COMMAND [ARGUMENT]...
#
#   arm TOKEN TTL_S HARD_S BYTES WHO    claim the host and start the guard; restore commands come on standard input
#   run TOKEN LIMIT_S COMMAND...        the write lock: carry out one change, if the guard lives and has not fired
#   beat TOKEN                          the sweep lives; prints "late" if the guard has not taken the last beat yet
#   putback TOKEN                       restore everything, stay armed, refuse all further changes
#   restore TOKEN                       let the guard fire now, restore everything, wait for it
#   disarm TOKEN                        no change is left: end the guard, remove the claim
#   alone LIMIT_S COMMAND...            one change while no sweep holds the host
#   state                               print the state; changes nothing
#   version                             print the version of these commands and exit codes
#   watch TOKEN                         the guard itself; started by arm
#
# BASE/sweep is one sweep's claim of this host (mkdir is atomic). Its state is the name of one file in it, and a step
# is a rename, which is atomic and needs no space:  armed -> fired -> restored  or  armed -> released.
# Every change and every restore holds BASE/lock. The guard holds sweep/alive as long as it lives, so no process id is
# ever mistaken. Time is /proc/uptime, which no clock step touches.
#
# Exit: 90 refused by the write lock, 91 busy, 92 cannot be armed, 93 the guard is dead, 94 cannot write or lock,
#       95 not restored, 96 not permitted, 3 restored but a guest is gone; of `run`, else the command's own.

BASE=${1:?} FIRST=$PATH: STRICT='' && shift # settings; the installed helper has its own
permitted() { return 0; }                   # (the installed helper has its own)

umask 077
export LC_ALL=C
export PATH="$FIRST/usr/sbin:/usr/bin:/sbin:/bin"

LOCK_WAIT_S=60 # a holder runs one command of at most 30 s
GONE_LEAST_S=10 # a guest that reboots is gone for a moment, and `xl` gives the new one the values of the sweep
RESTART_WAIT_S=15
ARM_WAIT_S=60 # an emulated or starved Dom0 takes its time
GIVEN_MOST=65536 # bytes of restore commands: a hundred domains need a tenth
GIVEN_S=30
LOG_MOST=100000 # bytes: a restore that keeps failing must not fill the host

refuse() {
    code=$1 && shift
    printf 'domtune-guard: %s\n' "$*" >&2
    exit "$code"
}

is_number() {
    case $1 in '' | *[!0-9]*) return 1 ;; esac
}

# now=SECONDS since boot; without another process, since Dom0's CPU time is what is measured.
look_at_clock() {
    read -r now _ </proc/uptime && now=${now%%.*}
}

uptime_s() {
    look_at_clock && echo "$now"
}

nap() {
    sleep 0.1 2>/dev/null || sleep 1 # fractions are not everywhere
}

# until_true SECONDS COMMAND...: try until it succeeds or the time is over.
until_true() {
    look_at_clock
    deadline=$((now + $1)) && shift
    until "$@"; do
        look_at_clock
        [ "$now" -lt "$deadline" ] || return 1
        nap
    done
}

# first=LINE: the first line of a file, empty without one; no process: on a starved Dom0 each costs a tenth of a second.
look_into() {
    first=''
    [ ! -e "$1" ] || { read -r first <"$1"; } 2>/dev/null || return 0
}

note() {
    [ "$(wc -c <log)" -gt "$LOG_MOST" ] || printf '%s up %s s: %s\n' "$(date '+%F %T')" "$(uptime_s)" "$*" >>log
    logger -t domtune-guard -- "$*"
} 2>/dev/null

# --- state ---------------------------------------------------------------------------------------------------------

same_boot() {
    look_into boot
    claimed=$first
    look_into /proc/sys/kernel/random/boot_id
    [ -n "$claimed" ] && [ "$claimed" = "$first" ]
}

# In the order of the steps, so that a step taken meanwhile is not missed.
state_of() {
    for name in armed fired restored released; do
        [ ! -e "$name" ] || break
        name=broken
    done
    same_boot || name=rebooted
    echo "$name"
}

lives() {
    [ -e alive ] || return 1
    flock -n -s alive true
    [ $? -eq 1 ]
}

held_by() {
    echo "$(cat holder 2>/dev/null || echo 'unknown user'), since $(cat since 2>/dev/null || echo '?'), $(state_of)"
}

show() {
    [ ! -d "$BASE" ] || [ -x "$BASE" ] || refuse 96 "only root may look into $BASE"
    cd "$BASE/sweep" 2>/dev/null || { echo state=none && return; }
    echo "state=$(state_of)"
    if lives; then echo alive=yes; else echo alive=no; fi
    for name in token holder since ttl hard boot; do
        echo "$name=$(head -n 1 "$name" 2>/dev/null)"
    done
    echo "age=$(($(uptime_s) - $(cat t0 2>/dev/null || uptime_s)))"
    tail -n 20 log 2>/dev/null | sed 's/^/log=/'
}

# enter TOKEN: from here on all names are of this sweep's folder, even if another one takes its place.
enter() {
    cd "$BASE/sweep" 2>/dev/null || refuse 90 'no sweep holds this host: the guard was disarmed or the host rebooted'
    look_into token
    [ "$first" = "$1" ] || refuse 90 "another sweep holds this host: $(held_by)"
    same_boot || refuse 90 'the host was rebooted, which cleared what the sweep had set'
}

enter_locked() {
    enter "$1"
    exec 8>>"$BASE/lock"
    until_true "$LOCK_WAIT_S" flock -n 8 || refuse 94 "a command on the host has held the lock for $LOCK_WAIT_S s"
    enter "$1" # another may have ended the sweep meanwhile
}

# The guard was killed, but systemd restarts it; on a starved Dom0 that takes seconds.
is_restarting() {
    [ -d /run/systemd/system ] || return 1
    case $(systemctl is-active "domtune-guard-$(cat token)" 2>/dev/null) in
        active | activating | deactivating) ;;
        *) return 1 ;;
    esac
}

check_writable() {
    [ -e armed ] || refuse 90 "the guard is not armed: $(held_by)"
    until_true 3 lives || { is_restarting && until_true "$RESTART_WAIT_S" lives; } ||
        refuse 93 'the guard on the host is dead'
}

# --- restoring -----------------------------------------------------------------------------------------------------

write_restore() {
    cat <<'END'
@RESTORE@
END
    cat given
    cat <<'END'
@RESTORE_END@
END
}

# put_all: run restore.sh, under the lock unless another command holds the lock forever.
put_all() {
    answer=$(sh ./restore.sh 2>&1 </dev/null 9>&-)
    code=$?
    note "restore ended with $code (0 done, 3 done but a guest is gone): $(printf %s "$answer" | tail -c 2000)"
    return "$code"
}

# guard_round: one try of a guard that fired.
guard_round() {
    if ! until_true "$LOCK_WAIT_S" flock -n 8 9>&-; then
        note 'a command holds the lock and does not end; restoring now, and again when it has ended'
        put_all
        return
    fi
    if [ -e fired ]; then
        put_all
        case $? in
            0) mv fired restored ;;
            3) [ "$(uptime_s)" -lt "$gone_until" ] || mv fired restored ;;
        esac
    fi
    flock -u 8
}

# look_why: why='' or the reason to fire.
look_why() {
    look_at_clock
    why=''
    [ -z "$asked" ] || why='the guard was asked to end'
    [ $((now - seen)) -lt "$ttl" ] || why="no heartbeat for $((now - seen)) s"
    [ $((now - t0)) -lt "$hard" ] || why="the hard limit of $hard s is over"
}

watch() {
    enter "$1"
    exec 8>>"$BASE/lock" 9>>alive
    until_true 5 flock -n 9 || exit 0 # another guard lives
    asked=''
    trap '' HUP INT PIPE QUIT
    trap 'asked=yes' TERM
    echo -1000 2>/dev/null >"/proc/$$/oom_score_adj"
    renice -n -10 -p $$ >/dev/null 2>&1
    ttl=$(cat ttl) hard=$(cat hard) t0=$(cat t0) seen=$(uptime_s)
    # Each look costs a process: every second a tenth of an emulated Dom0, and more of one with a small cap.
    look_s=$((ttl / 12))
    [ "$look_s" -ge 1 ] || look_s=1
    [ "$look_s" -le 5 ] || look_s=5
    echo $$ >pid
    [ "$(state_of)" != broken ] || touch armed || exit 1
    while [ -e armed ]; do
        [ ! -e beat ] || { rm -f beat && look_at_clock && seen=$now; }
        look_why
        # Before the restore: from this rename on, `run` refuses every change.
        [ -z "$why" ] || { mv armed fired && note "fired: $why"; }
        sleep "$look_s" 8>&- 9>&-
    done
    [ "$ttl" -ge "$GONE_LEAST_S" ] || ttl=$GONE_LEAST_S
    gone_until=$(($(uptime_s) + ttl)) pause_s=1
    while [ -e fired ]; do
        guard_round
        [ ! -e fired ] || sleep "$pause_s" 8>&- 9>&-
        [ "$pause_s" -ge 16 ] || pause_s=$((pause_s * 2))
    done
    exit 0
}

# --- arming --------------------------------------------------------------------------------------------------------

give_up() {
    [ ! -e pid ] || kill -KILL "$(cat pid)" 2>/dev/null
    cd / && rm -rf "$BASE/sweep"
    refuse 92 "$*"
}

# claim: make BASE/sweep; replace the remains of a sweep that needs no restore.
claim() {
    if cd "$BASE/sweep" 2>/dev/null; then
        case $(state_of) in armed | fired) refuse 91 "held by $(held_by)" ;; esac
        cd / && rm -rf "$BASE/sweep"
    fi
    { mkdir "$BASE/sweep" && cd "$BASE/sweep"; } || refuse 92 "$BASE/sweep cannot be made"
}

start_guard() {
    if [ -n "$STRICT" ]; then set -- watch "$1"; else set -- "$BASE" watch "$1"; fi
    # Not in the cgroup of the ssh session, which ends with the session. systemd restarts the guard if it is killed.
    if [ -d /run/systemd/system ] && systemd-run --quiet --unit="domtune-guard-$token" --setenv=PATH="$PATH" \
        --property=Restart=on-failure --property=OOMScoreAdjust=-1000 /bin/sh "$0" "$@" </dev/null >/dev/null 2>&1; then
        return
    fi
    setsid sh "$0" "$@" </dev/null >/dev/null 2>&1 8>&- &
}

# is_time SECONDS: such that the shell can count with it.
is_time() {
    case $1 in 0*) return 1 ;; esac
    is_number "$1" && [ "${#1}" -le 8 ]
}

arm() {
    token=$1
    case $token in '' | *[!0-9a-zA-Z]*) refuse 92 'the token must consist of letters and digits' ;; esac
    { is_time "$2" && is_time "$3"; } || refuse 92 'times are whole seconds, at least 1 and of at most 8 digits'
    { is_number "$4" && [ "${#4}" -le 5 ] && [ "$4" -le "$GIVEN_MOST" ]; } ||
        refuse 92 "the restore commands are at most $GIVEN_MOST bytes, not $4"
    for tool in flock setsid timeout; do
        command -v "$tool" >/dev/null || refuse 92 "the host has no '$tool'"
    done
    uptime_s >/dev/null || refuse 92 'the host has no /proc/uptime'
    { mkdir -p "$BASE" && [ ! -L "$BASE" ] && [ "$(stat -c %u "$BASE")" = "$(id -u)" ] && chmod 700 "$BASE"; } ||
        refuse 92 "$BASE is not a folder of this account"
    touch "$BASE/lock" || refuse 92 "$BASE/lock cannot be made"
    # Before the lock: a sender without data must not block others, and endless data must not fill the disk.
    trap 'rm -f "$BASE/given.$$"' EXIT
    timeout "$GIVEN_S" head -c $(($4 + 1)) >"$BASE/given.$$" ||
        refuse 92 "the restore commands did not arrive within $GIVEN_S s, or $BASE is full"
    exec 8>>"$BASE/lock"
    until_true 20 flock -n 8 || refuse 91 'another guard command is active'
    claim
    { cat /proc/sys/kernel/random/boot_id >boot && echo "$2" >ttl && echo "$3" >hard && uptime_s >t0 &&
        printf '%.120s\n' "$5" | tr -cd ' -~\n' >holder && date '+%F %T %z' >since && mv "$BASE/given.$$" given; } ||
        give_up "$BASE cannot be written; is it full?"
    [ "$(wc -c <given)" -eq "$4" ] || give_up 'the restore commands arrived incomplete'
    # The rest of the script must not become part of their last line.
    [ -z "$(tail -c 1 given)" ] || give_up 'the last restore command has no line end'
    permitted restore || give_up 'these restore commands are not permitted here'
    { write_restore >restore.sh && [ "$(tail -c 11 restore.sh)" = '# complete' ] && touch alive log; } ||
        give_up "$BASE cannot be written; is it full?"
    answer=$(sh -n ./restore.sh 2>&1 && sh ./restore.sh check 2>&1) || give_up "the restore would not work: $answer"
    { echo "$token" >token && [ "$(cat token)" = "$token" ]; } || give_up "$BASE cannot be written; is it full?"
    start_guard "$token"
    until_true "$ARM_WAIT_S" [ -e armed ] || give_up "the guard did not start within $ARM_WAIT_S s"
    note "armed by $(cat holder): ttl $2 s, hard limit $3 s"
}

# --- other commands -----------------------------------------------------------------------------------------------

run() {
    enter_locked "$1"
    limit=$2 && shift 2
    is_number "$limit" || refuse 96 "no time limit: '$limit'"
    check_writable
    # The command waited for the lock on a lost connection: no guard would restore its change.
    [ ! -e ending ] || refuse 90 'the sweep is ending, and all settings are being restored'
    permitted change "$@" || refuse 96 "not permitted: $*"
    exec timeout -k 2 "$limit" "$@" </dev/null
}

beat() {
    enter "$1"
    check_writable
    [ ! -e beat ] || echo late
    true >beat || refuse 94 'the heartbeat cannot be written; is the file system full?'
}

putback() {
    enter_locked "$1"
    check_writable
    touch ending || refuse 94 "$BASE cannot be written; is it full?"
    put_all
    case $? in
        0) ;;
        3) exit 3 ;;
        *) refuse 95 "not restored: $answer" ;;
    esac
}

restore() {
    enter_locked "$1"
    [ ! -e armed ] || { mv armed fired && note 'fired: a restore was requested'; }
    if [ -e fired ]; then
        put_all
        case $? in
            0) mv fired restored ;;
            3) lives || mv fired restored ;; # a living guard waits for the guest to come back
            *) refuse 95 "not restored: $answer" ;;
        esac
    fi
    tail -n 1 log 2>/dev/null
    return 0
}

disarm() {
    enter_locked "$1"
    mv armed released 2>/dev/null
    case $(state_of) in
        released | restored) cd / && rm -rf "$BASE/sweep" ;;
        *) refuse 90 "cannot be disarmed: $(held_by)" ;;
    esac
}

alone() {
    limit=$1 && shift
    is_number "$limit" || refuse 96 "no time limit: '$limit'"
    permitted change "$@" || refuse 96 "not permitted: $*"
    { mkdir -p "$BASE" && touch "$BASE/lock"; } || refuse 94 "$BASE cannot be written"
    exec 8>>"$BASE/lock"
    until_true "$LOCK_WAIT_S" flock -n 8 || refuse 94 "a command on the host has held the lock for $LOCK_WAIT_S s"
    if cd "$BASE/sweep" 2>/dev/null; then
        case $(state_of) in armed | fired) refuse 91 "held by $(held_by)" ;; esac
    fi
    exec timeout -k 2 "$limit" "$@" </dev/null
}

main() {
    [ $# -gt 0 ] || refuse 96 'a command is missing, for example: state'
    case $1 in
        state) show ;;
        version) echo "domtune-guard 2" ;; # of these commands and exit codes
        arm) shift && arm "$@" ;;
        run) shift && run "$@" ;;
        beat) shift && beat "$@" ;;
        putback) shift && putback "$@" ;;
        restore) shift && restore "$@" ;;
        disarm) shift && disarm "$@" ;;
        alone) shift && alone "$@" ;;
        watch) shift && watch "$@" ;;
        *) refuse 96 "unknown command: '$1'" ;;
    esac
    exit
}

main "$@"
