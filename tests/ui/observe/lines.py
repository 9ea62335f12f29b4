"""Lines of following as the core tells them."""

from scheduler.model.observation_documents import FollowGain, FollowHold, FollowMove, FollowStarted, ObservationWindow
from scheduler.model.split import Mode, parse_split


def began(**more) -> FollowStarted:
    reported = {
        "host": "xl:",
        "host_id": "xen-1",
        "title": "xen1",
        "simulated": False,
        "mode": Mode.CAPS,
        "cpus": 1,
        "split": parse_split("1:2"),
        "io_found": "quota 33333 us",
        "guest_found": "quota 66667 us",
        "static": parse_split("1:2"),
        "range_low": parse_split("1:5"),
        "range_high": parse_split("5:1"),
        "for_s": 3600.0,
        "account_pct": 50,
        "seed": 1,
        "database": True,
        "guarded_by": "guard",
        "worst": parse_split("5:1"),
        "worst_frac": 0.31,
    }
    return FollowStarted(**{**reported, **more})


def window(t_s: float, split: str = "1:2", **more) -> ObservationWindow:
    reported = {"arm": "following", "wish": parse_split(split), "io_cpus": 0.3, "guest_cpus": 0.5}
    allowed = {"io_allowed_cpus": 0.33, "guest_allowed_cpus": 0.67}
    return ObservationWindow(t_s=t_s, split=parse_split(split), **{**reported, **allowed, **more})


def move(t_s: float, before: str, after: str, **more) -> FollowMove:
    reported = {
        "arm": "following",
        "text": "The I/O domain used 97 % of what it may.",
        "predicted_gain": 0.2,
        "io_used_frac": 0.97,
    }
    return FollowMove(t_s=t_s, before=parse_split(before), after=parse_split(after), **{**reported, **more})


def hold(t_s: float, reason: str, text: str, until_s: float | None = None) -> FollowHold:
    return FollowHold(t_s=t_s, reason=reason, text=text, until_s=until_s)


def gain(**more) -> FollowGain:
    reported = {
        "over": "static",
        "gain_frac": 0.019,
        "low_frac": 0.008,
        "high_frac": 0.03,
        "blocks": 47,
        "verdict": "better",
        "planned": False,
    }
    return FollowGain(**{**reported, **more})
