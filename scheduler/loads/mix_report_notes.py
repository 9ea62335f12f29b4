"""What every report says of loads that run at the same time."""

from collections.abc import Iterator

from scheduler.model.load_name import mix_in
from scheduler.model.sentence_texts import join_names, load_title
from scheduler.model.spec import RunSpec


def mix_notes(spec: RunSpec) -> Iterator[str]:
    """Yield a sentence for each mix, and one for each load that has tables to itself for it."""
    for mix in spec.mixes:
        if not mix_in(mix[0]):
            continue
        loads = [spec.load_of(name) for name in mix]
        users = join_names(f"{load.users} users of {load_title(load.kind)}" for load in loads)
        yield (
            f"{mix_in(mix[0])}: {users} work at the same time. The rate of each depends on the others' users; the CPU "
            "that the domains got is that of all together."
        )
    own = dict.fromkeys(load.kind for load in spec.loads if load.own)
    for kind in own:
        yield f"In a mix {kind} changes rows that no other load uses: else no check could tell whose they are."
