"""Disturbance of a simulated rate: one factor for each second, drawn from a seed."""

import math
import random
from collections.abc import Callable, Sequence

from scheduler.model.setting import SplitSetting
from scheduler.sim.machine import Machine, noise_splits
from scheduler.sim.noise import NoiseModel, SettlingRamp, value_of_load

Draw = Callable[[], float]

_SETTLED = 3.0  # exp(-3): 95 % of the way after T
_S_PER_HOUR = 3600.0


class RateDisturbance:
    """All disturbances between the steady rate and the rate of a second.

    Args:
        machine: Its noise and seed.
        seed: The sweep's own, mixed in.
    """

    def __init__(self, machine: Machine, seed: int) -> None:
        self._machine = machine
        self._noise = noise = machine.noise_model
        self._random = random.Random(f"{machine.seed}/{seed}")
        self._ar = self._random.gauss(0.0, noise.ar_sd)
        self._ou = self._random.gauss(0.0, noise.drift.ou_sd)
        self._sine_period_s = self._random.uniform(*noise.drift.sine_period_s)
        self._sine_phase = self._random.uniform(0.0, 2 * math.pi)
        self._checkpoints = _StallSchedule(self._random, noise.checkpoint.dur_s, self._draw_checkpoint_s)
        self._vacuums = _StallSchedule(
            self._random, noise.vacuum.dur_s, lambda: self._draw_wait_s(noise.vacuum.per_hour)
        )
        self._neighbours = _StallSchedule(
            self._random, noise.neighbour.dur_s, lambda: self._draw_wait_s(noise.neighbour.per_hour)
        )
        self._stolen = 1.0
        self._epochs: dict[tuple[str, float | None], float] = {}
        self._trial = 0.0
        self._ramp = _SettlingFactor(self._random)

    def restart(self) -> None:
        """Restart the database: draw again the deviations that last until a restart."""
        self._epochs.clear()

    def enter(self, kind: str, ratio: float | None, tps: float, *, cold: bool, new_load: bool) -> None:
        """Begin a trial: another split or another load.

        Args:
            kind: The load.
            ratio: I/O domain / guest; None for the original settings.
            tps: Its steady rate.
            cold: The first load since the database's start.
            new_load: The load is another one than before.
        """
        deviation = self._nearest_deviation(kind, ratio)
        self._trial = self._random.gauss(-(deviation**2) / 2, deviation)
        epoch = self._noise.epoch_sd
        if (kind, ratio) not in self._epochs:
            self._epochs[kind, ratio] = self._random.gauss(-(epoch**2) / 2, epoch)
        self._trial += self._epochs[kind, ratio]
        ramps = self._noise.ramp
        self._ramp.begin(ramps.cold if cold else ramps.load if new_load else ramps.arm, tps)

    def second(self, kind: str, now_s: float, tps: float) -> tuple[float, float]:
        """Return the factors on throughput and on CPU alone in the second that begins now.

        Args:
            kind: The load.
            now_s: Start of the second, seconds.
            tps: Its steady rate.
        """
        noise, drift = self._noise, self._noise.drift
        self._ar = noise.ar_phi * self._ar + self._random.gauss(0.0, noise.ar_sd * math.sqrt(1 - noise.ar_phi**2))
        step = 1.0 / drift.ou_tau_s
        if step < 1:
            self._ou += -self._ou * step + self._random.gauss(0.0, drift.ou_sd * math.sqrt(2 * step))
        else:  # forgotten within the second: a step this long would overshoot, and grow without end from 2 on
            self._ou = self._random.gauss(0.0, drift.ou_sd)
        slow = self._ou + drift.sine_amp * math.sin(2 * math.pi * now_s / self._sine_period_s + self._sine_phase)
        logarithm = self._trial + self._ar - noise.ar_sd**2 / 2 + slow
        stolen = self._cpu_left_frac(now_s)
        factor = math.exp(logarithm) * self._stall_factor(kind, now_s) * stolen * self._ramp.factor(now_s, tps)
        return factor, stolen

    def _stall_factor(self, kind: str, now_s: float) -> float:
        factor = 1.0
        for stalls, by_load in (
            (self._checkpoints, self._noise.checkpoint.factor),
            (self._vacuums, self._noise.vacuum.factor),
        ):
            part, _ = stalls.part(now_s)
            if part:
                factor *= 1.0 - part * (1.0 - value_of_load(by_load, kind))
        return factor

    def _cpu_left_frac(self, now_s: float) -> float:
        part, fresh = self._neighbours.part(now_s)
        if fresh:
            self._stolen = self._random.uniform(*self._noise.neighbour.factor)
        return 1.0 - part * (1.0 - self._stolen)

    def _draw_checkpoint_s(self) -> float:
        noise = self._noise.checkpoint
        return noise.period_s * self._random.uniform(1 - noise.jitter, 1 + noise.jitter)

    def _draw_wait_s(self, per_hour: float) -> float:
        return self._random.expovariate(per_hour / _S_PER_HOUR) if per_hour else math.inf

    def _nearest_deviation(self, kind: str, ratio: float | None) -> float:
        """Return the trial's deviation: that of the nearest split with one."""
        deviations = _trial_deviations(self._noise, kind)
        if isinstance(deviations, float | int):
            return deviations
        at = math.log(ratio or 1.0)
        splits = noise_splits(self._machine, deviations)
        place = min(range(len(splits)), key=lambda i: abs(SplitSetting(splits[i]).position - at))
        return deviations[place]


def _trial_deviations(noise: NoiseModel, kind: str) -> float | Sequence[float]:
    """Return a load's deviations of trials, by either of its names."""
    return value_of_load(noise.trial_sd, kind)


class _StallSchedule:
    """Stalls that last a while, one at a time.

    Args:
        source: Random numbers.
        lasts_s: Shortest and longest duration.
        wait_s: Draws the time until the next one.
    """

    def __init__(self, source: random.Random, lasts_s: tuple[float, float], wait_s: Draw) -> None:
        self._random, self._lasts_s, self._wait_s = source, lasts_s, wait_s
        self._begins_s = -1.0
        self._ends_s = -1.0

    def part(self, now_s: float) -> tuple[float, bool]:
        """Return the stalled part of the next second, and True when a stall begins in it."""
        if self._begins_s < 0:  # the first look
            self._draw_stall(now_s)
        while self._ends_s <= now_s:
            self._draw_stall(self._ends_s)
        part = max(0.0, min(now_s + 1, self._ends_s) - max(now_s, self._begins_s))
        return part, now_s <= self._begins_s < now_s + 1

    def _draw_stall(self, after_s: float) -> None:
        self._begins_s = after_s + self._wait_s()
        self._ends_s = self._begins_s + self._random.uniform(*self._lasts_s)


class _SettlingFactor:
    """Settling after a change: from below, or from the rate before the change."""

    def __init__(self, source: random.Random) -> None:
        self._random = source
        self._ramp: SettlingRamp | None = None
        self._settles_s = 1.0
        self._since_s = -1.0
        self._old_tps = self._last_tps = 0.0

    def begin(self, ramp: SettlingRamp, tps: float) -> None:
        self._ramp, self._since_s = ramp, -1.0
        self._settles_s = self._random.uniform(*ramp.T_s)
        self._old_tps = self._last_tps or tps

    def factor(self, now_s: float, tps: float) -> float:
        """Return the factor of the second that begins now."""
        self._last_tps = tps
        if self._ramp is None:
            return 1.0
        if self._since_s < 0:
            self._since_s = now_s
        left = math.exp(-_SETTLED * (now_s - self._since_s) / self._settles_s)
        if left < 1e-4:
            self._ramp = None
            return 1.0
        if self._ramp.kind == "carry_over":
            return 1.0 + (self._old_tps / max(tps, 1e-9) - 1.0) * left
        return 1.0 - self._ramp.depth * left
