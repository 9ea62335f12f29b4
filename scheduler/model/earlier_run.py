"""History of a sweep: means per split of an earlier run.

The first document of the later run contains the history, because a run's results are derived from its own documents
alone. The earlier run may be deleted later.
"""

import datetime
from collections.abc import Mapping
from typing import Annotated

import msgspec

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

LogRate = Annotated[float, msgspec.Meta(ge=-100, le=100)]
Variance = Annotated[float, msgspec.Meta(gt=0, le=100)]


class SettingMean(msgspec.Struct, frozen=True):
    """Mean of a setting's trials under one load, in the earlier run.

    Attributes:
        log_rate: ln(mean throughput) relative to the other settings of that run; only differences have a meaning.
        variance: Variance of `log_rate`, estimated from the trials of that run, > 0.
    """

    log_rate: LogRate
    variance: Variance


class LoadHistory(msgspec.Struct, frozen=True):
    """Means of the earlier run under one load.

    Attributes:
        means: Label of every setting to its mean; the original settings are `baseline`.
        trial_variance: Variance of one trial, of ln(throughput), all settings together, > 0.
        dof: Degrees of freedom of `trial_variance`, >= 1.
    """

    means: Mapping[str, SettingMean]
    trial_variance: Variance
    dof: Annotated[int, msgspec.Meta(ge=1)]


class EarlierRun(msgspec.Struct, frozen=True, kw_only=True):
    """Earlier run that a run begins with, or the reason why it is not used.

    Attributes:
        run_id: Id of the earlier run.
        date: Local date of its start, `YYYY-MM-DD`.
        loads: Load to the means of the earlier run; empty when it is not used.
        unused: Reason why it is not used, as a clause; empty when it is used.
    """

    run_id: str
    date: datetime.date
    loads: Mapping[str, LoadHistory] = {}
    unused: str = ""

    @property
    def day(self) -> str:
        """The date as text, for example `Tuesday, 24 November`."""
        date = self.date
        return f"{_WEEKDAYS[date.weekday()]}, {date.day} {_MONTHS[date.month - 1]}"


class AcceptedHistory(msgspec.Struct, frozen=True):
    """The history that agrees with a sweep's own trials.

    Attributes:
        loads: Load to the means of the earlier run.
        between_variance: Variance of a setting's change from that run to this one, of ln(utility), for comparisons of
            splits.
        gain_variance: The same for gains over the original settings, which cause changes, >= `variance`.
        dof: Degrees of freedom of these variances, >= 1.
    """

    loads: Mapping[str, LoadHistory]
    between_variance: float
    gain_variance: float
    dof: int
