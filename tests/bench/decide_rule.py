"""`python -m tests.bench.decide --rule [TRIALS [WORD ...]]`: races that know where the rule of `domtune follow` points.

After the first block the rule (scheduler/follow/rule.py) says from the CPU that domains received which splits lie far
behind. Lines of one cell share surfaces, noise and seeds; `decide_pointed` says what each of them is. With words only
cells whose titles hold all of them are carried out; otherwise there is at last what the best of the first few splits
loses when they are visited in random order, and from where the rule points outwards.
"""

import math
import os
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import msgspec
import numpy as np

from scheduler.model.protocols import PROTOCOLS, Protocol
from scheduler.model.setting import split_setting
from scheduler.model.spec import PAPER_SPLITS, LoadSpec, RunSpec
from scheduler.plans.visits import Visit
from scheduler.stats.queueing.mva import solve
from tests.bench.decide import BOTH, COARSE, narrow, smooth
from tests.bench.decide_pointed import ARMS, ORDERED, REFINED, Arm, race_of
from tests.bench.decide_received import PAPER_COSTS, Costs, Received, losses_told
from tests.bench.decide_trial import Answered, Case, Surface, answer_of, losses_of
from tests.data_maker import make_done
from tests.unit.stats.surface_maker import random_surface

_FIRST_SEED = 5_200_000  # not used while anything was tuned
_TRIALS = 500
_GUESTS = ("1:10", "1:7", "1:5", "1:4", "1:3", "2:5", "1:2", "2:3")
_FINE = (*_GUESTS, "1:1", "3:2", "2:1", "5:2", "3:1", "4:1", "5:1", "7:1", "10:1")


class Truth(NamedTuple):
    """A surface, and what its transactions cost."""

    surface: Surface
    costs: Costs = PAPER_COSTS


def _paper(seed: int) -> Truth:
    return Truth(random_surface(np.random.default_rng(seed)))


class Cell(NamedTuple):
    """Lines that share everything but how they race.

    Attributes:
        title: What it is called.
        noise: Name of a noise.
        truth: Draws surface and costs from a number.
        told: How what the host says of CPU received is off: one of `DISTORTIONS`.
        kinds: Loads.
        protocol: Windows and repeats.
        splits: Those of the plan.
        arms: Its lines.
    """

    title: str
    noise: str = "shared"
    truth: Callable[[int], Truth] = _paper
    told: str = "right"
    kinds: Sequence[str] = BOTH
    protocol: Protocol = PROTOCOLS["adaptive"]
    splits: Sequence[str] = PAPER_SPLITS
    arms: Sequence[Arm] = ARMS


def _network(splits: Sequence[str], seed: int) -> Truth:
    """A closed queueing network, of which the rule is right: costs, waiting and users are drawn."""
    dice = np.random.default_rng(seed)
    users = int(dice.integers(5, 13))
    surface, costs = dict[str, dict[str, float]](), dict[str, tuple[float, float]]()
    middle = dice.uniform(-1.5, 1.0)
    for kind in BOTH:
        ratio = math.exp(middle + dice.uniform(-0.4, 0.4))
        io_frac = np.array([split_setting(label).split.io_frac for label in splits])
        demands = 1e-3 * np.stack([ratio / io_frac, 1 / (1 - io_frac)], axis=1)
        tps = solve(demands, 1e-3 * dice.uniform(0, 2), users).tps
        surface[kind], costs[kind] = dict(zip(splits, map(float, tps), strict=True)), (ratio, 1.0)
    return Truth(surface, costs)


def _narrow(seed: int) -> Truth:
    return Truth(narrow(0.021, seed))


def _two_tops(seed: int) -> Truth:
    """IR: one of the two best splits, 2.1 % apart, is where the rule points and one far away; a valley lies between."""
    ahead, behind = ("5:1", "1:2") if seed % 2 else ("1:2", "5:1")
    table = dict.fromkeys(PAPER_SPLITS, 0.6e4) | {ahead: 1e4, behind: 0.979e4, "2:5": 0.85e4, "1:1": 0.85e4}
    return Truth({"osdb-ir": table})


def _jagged(seed: int) -> Truth:
    """A surface like the paper's, its splits exchanged at random."""
    dice = np.random.default_rng(seed)
    place = {label: PAPER_SPLITS[at] for label, at in zip(PAPER_SPLITS, dice.permutation(9), strict=True)}
    drawn = random_surface(dice)
    return Truth({kind: {place[label]: tps for label, tps in drawn[kind].items()} for kind in BOTH})


def _flat(seed: int) -> Truth:
    """No split loses more than 1 %."""
    dice = np.random.default_rng(seed)
    return Truth({kind: {label: 1e4 * dice.uniform(0.99, 1) for label in PAPER_SPLITS} for kind in BOTH})


def _round(seed: int) -> Truth:
    """No network: round at the top and straight beside it; where that is the rule knows well."""
    middle = np.random.default_rng(seed).uniform(-1.2, 1.2)  # as that of `smooth`
    return Truth(smooth(seed), dict.fromkeys(BOTH, (math.exp(1.1 * middle), 1.0)))


_SIMPLE = tuple(smooth(0)["osdb-ir"])
_ORDERS = ((0.045, ""), (0.045, "right"), (0.045, "spins"), (0.045, "elsewhere"), (0.25, ""), (0.25, "right"))
_SHORT = msgspec.structs.replace(PROTOCOLS["adaptive"], limit_min=12)
_REFINED = msgspec.structs.replace(PROTOCOLS["adaptive"], refine=True)
_CELLS = (
    *(Cell(noise, noise, arms=ORDERED) for noise in ("shared", "drift")),
    *(Cell(noise, noise) for noise in ("lab", "hetero", "noisytop", "epoch", "all25")),
    Cell("12 minutes", protocol=_SHORT),
    Cell("17 splits", truth=partial(_network, _FINE), splits=_FINE),
    Cell("IR, gap 2.1 %", truth=_narrow, kinds=("osdb-ir",)),
    Cell("I/O domain spins", told="spins"),
    Cell("CPU stolen", told="stolen"),
    Cell("points elsewhere", told="elsewhere"),
    Cell("points elsewhere, all25", "all25", told="elsewhere"),
    Cell("IR, two tops", truth=_two_tops, kinds=("osdb-ir",)),
    Cell("IR, two tops, noisytop", "noisytop", truth=_two_tops, kinds=("osdb-ir",)),
    Cell("jagged", truth=_jagged),
    Cell("flat", truth=_flat),
    Cell("refined, network", truth=partial(_network, _SIMPLE), splits=COARSE, protocol=_REFINED, arms=REFINED),
    Cell("refined, round", truth=_round, splits=COARSE, protocol=_REFINED, arms=REFINED),
    Cell("refined, elsewhere", truth=_round, told="elsewhere", splits=COARSE, protocol=_REFINED, arms=REFINED),
)


def _case(cell: Cell, arm: Arm, seed: int) -> Case:
    surface, costs = cell.truth(seed)
    plain = Case(surface, cell.noise, cell.protocol, cell.kinds, seed, splits=cell.splits)
    behind = {label: -math.log1p(-loss) for label, loss in losses_of(plain, cell.splits).items()}
    return plain._replace(received=Received(costs, cell.told), plan=partial(race_of, arm, behind))


def _trial(cell: Cell, arm: Arm, seed: int) -> Answered:
    return answer_of(_case(cell, arm, seed))


def rule(words: Sequence[str]) -> int:
    """Carry everything out on all CPUs and print it, a line when it is done; return the exit code."""
    trials, chosen = max(5, int(words[0])) if words else _TRIALS, words[1:]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for number, cell in enumerate(_CELLS):
            if not all(word in cell.title for word in chosen):
                continue
            first = _FIRST_SEED + 10_000 * number
            plain: list[Answered] = []
            for arm in cell.arms:
                seeds = range(first, first + max(2, round(trials * arm.part)))
                answers = list(pool.map(partial(_trial, cell, arm), seeds, chunksize=5))
                plain = plain or answers
                line = _words(answers, plain[: len(answers)])
                print(f"{cell.title:24} {arm.title:15} {len(seeds):4} trials {line}", flush=True)
    if not chosen:
        print(*_first_lines(trials), sep="\n")
    return 0


def _first_lines(trials: int) -> Iterator[str]:
    """Yield what the best of the first 1, 2, 3 ... splits loses, in random order and from where the rule points."""
    for sd, told in _ORDERS:
        rows = [_guesses(sd, told, _FIRST_SEED - 10_000 + trial) for trial in range(trials)]
        means = "  ".join(f"{100 * statistics.mean(column):5.2f}" for column in zip(*rows, strict=True))
        order = f"rule, {told}" if told else "random order"
        yield f"visits differ by {sd:4.1%}, {order:16} lost after 1, 2, 3 ..., %:  {means}"


def _guesses(sd: float, told: str, seed: int) -> list[float]:
    cell, dice = Cell("", told=told), random.Random(seed)
    surface, costs = cell.truth(seed)
    spec = RunSpec("sim:", settings=tuple(map(split_setting, PAPER_SPLITS)), loads=tuple(map(LoadSpec, BOTH)))
    order = dice.sample(PAPER_SPLITS, len(PAPER_SPLITS))
    if told:
        at_first = [make_done(Visit(None, (kind,), -1, 15, 10), 0, surface[kind]["1:1"]) for kind in BOTH]
        received = Received(costs, told)
        seen = [
            msgspec.structs.replace(done, delivered_frac=received.of(done, max(surface[done.load].values()), dice))
            for done in at_first
        ]
        said = losses_told(seen, spec)
        order.sort(key=lambda label: said.get(label, 0.0))
    measured = {
        label: sum(math.log(surface[kind][label]) + dice.gauss(0, sd) for kind in BOTH) for label in PAPER_SPLITS
    }
    lost = losses_of(Case(surface, "none", cell.protocol, BOTH, seed), PAPER_SPLITS)
    return [lost[max(order[:count], key=measured.__getitem__)] for count in range(1, len(order) + 1)]


def _words(answers: Sequence[Answered], plain: Sequence[Answered]) -> str:
    claims = [answer.right for answer in answers if answer.claimed]
    more = [answer.minutes - other.minutes for answer, other in zip(answers, plain, strict=True)]
    error = statistics.stdev(more) / math.sqrt(len(more))
    rows = [(answer.minutes, answer.regret_frac, answer.missed_frac, answer.right) for answer in answers]
    minutes, regret, missed, right = (statistics.mean(column) for column in zip(*rows, strict=True))
    return (
        f"{minutes:6.1f} min ({statistics.mean(more):+5.1f} +- {error:3.1f}), "
        f"regret {100 * regret:5.3f} %, of all splits {100 * missed:5.2f} %, right {right:6.1%}, "
        f"claims {len(claims) / len(answers):6.1%}, of them right {statistics.mean(claims or [False]):6.1%}"
    )
