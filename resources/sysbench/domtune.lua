-- Runs one of sysbench's own scripts as it is (DOMTUNE_SCRIPT), with exact figures once a second and an end on request.
--
-- On request is SIGUSR1, which no thread takes: each looks before its next event whether it waits. sysbench ends a
-- thread whose event returns something, and in the end says how many events there were. Killed, it would say nothing.

local ffi = require("ffi")

ffi.cdef[[
typedef struct { long s; long ns; } domtune_moment;
int clock_gettime(int clock, domtune_moment *moment);
int sigemptyset(void *set);
int sigaddset(void *set, int number);
int sigismember(const void *set, int number);
int sigpending(void *set);
int pthread_sigmask(int how, const void *set, void *before);
]]

local SIGUSR1, SIG_BLOCK, SIGSET_BYTES, CLOCK_MONOTONIC = 10, 0, 128, 1 -- Linux on x86 and ARM, glibc

local signals = ffi.new("uint8_t[?]", SIGSET_BYTES)
ffi.C.sigemptyset(signals)
ffi.C.sigaddset(signals, SIGUSR1)
ffi.C.pthread_sigmask(SIG_BLOCK, signals, nil)

-- MariaDB's library (Connector/C, whose versions begin with 3) checks certificates where authorities are named, MySQL's
-- (5.0 and later) does not.
local checked = os.getenv("DOMTUNE_CHECKED")

if checked then
    ffi.cdef[[ const char *mysql_get_client_info(void); ]]
    local version = ffi.string(ffi.C.mysql_get_client_info())
    local major, minor = version:match("^(%d+)%.(%d+)")
    if major ~= "3" or tonumber(minor) < 3 then
        io.stderr:write("FATAL: error 2026: " .. version .. " does not check certificates\n")
        os.exit(1)
    end
end

require(os.getenv("DOMTUNE_SCRIPT"))

local begin = thread_init

function thread_init()
    begin()
    if checked then
        local _, cipher = con:query_row("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
        if not cipher or cipher == "" then
            error("the server has not encrypted this connection")
        end
    end
end

local one = event

function event(thread)
    ffi.C.sigpending(signals)
    if ffi.C.sigismember(signals, SIGUSR1) == 1 then
        return true
    end
    one(thread)
end

local moment = ffi.new("domtune_moment")

function sysbench.hooks.report_intermediate(stat)
    ffi.C.clock_gettime(CLOCK_MONOTONIC, moment)
    io.stdout:write(string.format("domtune: at %.6f s, %.6f s, %d events, %.4f ms, %d repeated, %d reconnects\n",
        tonumber(moment.s) + tonumber(moment.ns) / 1e9, stat.time_interval, stat.events, stat.latency_pct * 1000,
        stat.errors, stat.reconnects))
    io.stdout:flush()
end
