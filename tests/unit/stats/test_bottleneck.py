import pytest

from scheduler.model.bottleneck import Bottleneck
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, ROLES
from scheduler.stats.bottleneck import PointFigures, find_bottleneck


def seen(io, guest, *, allotted=(), throttled=(0.0, 0.0), **rest):
    shares = dict(zip((IO, GUEST), allotted, strict=True)) if allotted else {}
    held = dict(zip((IO, GUEST), throttled, strict=True))
    return PointFigures(used={IO: io, GUEST: guest}, allotted=shares, throttled=held, **rest)


def test_domain_at_its_quota_is_starved_and_the_sentence_quotes_the_figures():
    kind, text = find_bottleneck(seen(0.166, 0.21, allotted=(1 / 6, 5 / 6), throttled=(0.72, 0), mode=Mode.CAPS))
    assert kind is Bottleneck.IO
    assert text == (
        "The I/O domain is starved: it used 17 % of a CPU (quota 17 %) and was throttled 72 % of the time, "
        "while the guest used 21 % of a CPU (quota 83 %)."
    )


def test_guest_can_be_the_starved_one():
    kind, _ = find_bottleneck(seen(0.1, 0.09, allotted=(0.91, 0.09), throttled=(0, 0.8), mode=Mode.CAPS))
    assert kind is Bottleneck.GUEST


def test_both_can_be_starved():
    kind, text = find_bottleneck(seen(0.495, 0.49, allotted=(0.5, 0.5), throttled=(0.2, 0.2), mode=Mode.CAPS))
    assert kind is Bottleneck.BOTH
    assert "49 %" in text or "50 %" in text


def test_who_is_reached_directly_fills_the_cpu_alone():
    kind, text = find_bottleneck(seen(0.0, 0.98))
    assert kind is Bottleneck.GUEST
    assert text.startswith("The CPU is saturated: the I/O domain used 0 % of a CPU, the guest used 98 %")
    assert find_bottleneck(seen(0.02, 0.96))[0] is Bottleneck.BOTH


def test_bursts_count_as_starving_although_the_mean_is_below_the_quota():
    kind, _ = find_bottleneck(seen(0.24, 0.2, allotted=(0.3, 0.7), throttled=(0.5, 0), mode=Mode.CAPS))
    assert kind is Bottleneck.IO


def test_busy_clients_are_the_limit_when_no_domain_is():
    figures = seen(0.2, 0.2, allotted=(0.5, 0.5), client=0.93, clients=0.95, mode=Mode.CAPS)
    kind, text = find_bottleneck(figures)
    assert kind is Bottleneck.CLIENT
    assert "93 %" in text


def test_starved_domain_comes_before_a_busy_client():
    figures = seen(0.5, 0.2, allotted=(0.5, 0.5), throttled=(0.4, 0), client=0.93, mode=Mode.CAPS)
    assert find_bottleneck(figures)[0] is Bottleneck.IO


def test_idle_everywhere_means_waiting():
    kind, text = find_bottleneck(seen(0.2, 0.2, allotted=(0.5, 0.5), client=0.3, mode=Mode.CAPS))
    assert kind is Bottleneck.OTHER
    assert "waiting" in text
    assert "all clients" not in text  # who has one client has said it


def test_clients_who_fill_their_cpu_only_together_are_reported():
    figures = seen(0.2, 0.22, allotted=(0.5, 0.5), client=0.16, clients=0.8, mode=Mode.CAPS)
    kind, text = find_bottleneck(figures)
    assert kind is Bottleneck.OTHER
    assert text.endswith("the busiest client process used 16 % of a CPU, all clients 80 % of theirs.")


def test_in_share_mode_taking_more_than_the_weight_is_not_starving():
    kind, text = find_bottleneck(seen(0.53, 0.44, allotted=(1 / 11, 10 / 11), mode=Mode.WEIGHTS))
    assert kind is Bottleneck.BOTH
    assert "The CPU is saturated" in text
    assert "the I/O domain ran on 44 % that the other left" in text


def test_in_share_mode_an_idle_cpu_is_not_the_limit():
    assert find_bottleneck(seen(0.3, 0.3, allotted=(0.3, 0.7), mode=Mode.WEIGHTS))[0] is Bottleneck.OTHER


def test_full_cpu_limits_the_host_original():
    kind, text = find_bottleneck(seen(0.53, 0.44))
    assert kind is Bottleneck.BOTH
    assert text.startswith("The CPU is saturated: ")


def test_two_shared_cpus_need_twice_as_much_to_be_full():
    assert find_bottleneck(seen(0.53, 0.44, cpus=2))[0] is Bottleneck.OTHER
    assert find_bottleneck(seen(1.0, 0.95, cpus=2))[0] is Bottleneck.BOTH


@pytest.mark.parametrize(("io", "expected"), [(0.53, Bottleneck.BOTH), (0.09, Bottleneck.IO)])
def test_without_a_mode_the_figures_report_caps_from_weights(io, expected):
    throttled = (0.8, 0.0) if expected is Bottleneck.IO else (0.0, 0.0)
    assert find_bottleneck(seen(io, 0.44, allotted=(1 / 11, 10 / 11), throttled=throttled))[0] is expected


def test_nothing_is_claimed_without_cpu_figures():
    figures = PointFigures(used={}, allotted={}, throttled={})
    assert find_bottleneck(figures) == (Bottleneck.OTHER, "The CPU of the domains was not measured here.")


def test_domain_without_a_quota_is_not_starved():
    figures = PointFigures(used={IO: 0.9}, allotted={GUEST: 0.5}, throttled={}, mode=Mode.CAPS)
    assert find_bottleneck(figures)[0] is Bottleneck.OTHER


def test_full_cpu_in_share_mode_can_be_shared_as_the_weights_report():
    _, text = find_bottleneck(seen(0.5, 0.49, allotted=(0.5, 0.5), mode=Mode.WEIGHTS))
    assert text.endswith("each domain used its share.")


@pytest.mark.parametrize(
    ("mode", "used", "limit", "begins"),
    [
        (Mode.CAPS, (0.17, 0.125, 0.0), Bottleneck.GUEST, "The guest used all of the CPU allotted: of a CPU, "),
        (Mode.CAPS, (0.3, 0.125, 0.12), Bottleneck.GUEST, "The guest and the second guest used all of the CPU"),
        (Mode.CAPS, (0.74, 0.06, 0.05), Bottleneck.IO, "The I/O domain used all of the CPU allotted"),
        (Mode.CAPS, (0.74, 0.06, 0.125), Bottleneck.BOTH, "The I/O domain and the second guest used all"),
        (Mode.CAPS, (0.1, 0.06, 0.05), Bottleneck.OTHER, "No domain was out of CPU"),
        (Mode.WEIGHTS, (0.61, 0.18, 0.19), Bottleneck.BOTH, "The CPU is saturated"),
        (Mode.WEIGHTS, (0.1, 0.18, 0.19), Bottleneck.OTHER, "No domain was out of CPU"),
    ],
)
def test_of_three_domains_those_that_are_out_of_cpu_are_named(mode, used, limit, begins):
    shares = dict(zip(ROLES, (0.75, 0.125, 0.125), strict=True))
    figures = PointFigures(used=dict(zip(ROLES, used, strict=True)), allotted=shares, throttled={}, mode=mode)
    kind, text = find_bottleneck(figures)
    assert kind is limit
    assert text.startswith(begins), text


def test_use_of_several_cpus_is_quoted_in_cpus():
    kind, text = find_bottleneck(seen(1.99, 2.5, allotted=(0.25, 0.75), mode=Mode.CAPS, cpus=8, in_cpus=True))
    assert kind is Bottleneck.IO
    assert "it used 1.99 CPUs (quota 2.00)" in text
    assert "the guest used 2.50 CPUs (quota 6.00)" in text
    assert "%" not in text
