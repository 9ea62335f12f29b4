"""Each scheduler's commands and tables, by version; the texts are from a real Xen 4.17 unless a version is named."""

import pytest

from scheduler.errors import HostNotUsable, ParameterRefused
from scheduler.model.scheduler_params import (
    CgroupParams,
    Credit2Params,
    CreditParams,
    RtdsParams,
    RtdsVcpu,
    SedfParams,
)
from scheduler.toolstacks.grammar_lookup import find_grammar
from scheduler.toolstacks.xen_tool import XenTool

XL = ("/usr/sbin/xl",)
XL_417 = XenTool(XL, "xl", (4, 17))
XL_48 = XenTool(XL, "xl", (4, 8))
XL_45 = XenTool(XL, "xl", (4, 5))
XM_41 = XenTool(("/usr/sbin/xm",), "xm", (4, 1))

CREDIT = """\
Cpupool Pool-0: tslice=30ms ratelimit=1000us migration-delay=0us
Name                                ID Weight  Cap
Domain-0                             0    512    0
db1                                  1   2560   50
"""
RTDS_417 = """\
Cpupool Pool-0: sched=RTDS
Name                                ID VCPU    Period    Budget  Extratime
Domain-0                             0    0     10000      5000        yes
db1                                  1    1     10000      4000        yes
db1                                  1    0     20000     15000         no
"""


def words(argvs):
    return [" ".join(argv[1:]) for argv in argvs]


def rtds(*vcpus):
    return RtdsParams(tuple(RtdsVcpu(*vcpu) for vcpu in vcpus))


@pytest.mark.parametrize(("name", "kind"), [("credit", CreditParams), ("credit2", Credit2Params)])
class TestBothCredits:
    def test_row_is_read(self, name, kind):
        assert find_grammar(name).parse(CREDIT, 1, 1) == kind(2560, 50)
        assert find_grammar(name).parse(CREDIT, 0, 1) == kind(512, 0)

    def test_weight_and_cap_are_always_set_together(self, name, kind):
        argv = words(find_grammar(name).steps(XL_417, 3, kind(768, 0), 1))
        assert argv == [f"sched-{name} -d 3 -w 768 -c 0"]

    @pytest.mark.parametrize(
        "text",
        [
            "",  # the list form under another scheduler: nothing, exit 0
            "libxl_domain_sched_params_get returned rtds not credit.\nName                         ID Weight  Cap\n",
            "Cpupool Pool-0: tslice=30ms ratelimit=1000us migration-delay=0us\n",
            "db1 is an invalid domain identifier (rc=-6)\n",
        ],
    )
    def test_silence_is_no_value(self, name, kind, text):
        assert find_grammar(name).parse(text, 1, 1) is None

    @pytest.mark.parametrize(
        ("weight", "cap", "vcpus"), [(0, 0, 1), (-5, 0, 1), (65_536, 0, 1), (256, -1, 1), (256, 101, 1), (256, 201, 2)]
    )
    def test_what_xl_takes_for_something_else_is_refused_here(self, name, kind, weight, cap, vcpus):
        with pytest.raises(ParameterRefused):
            find_grammar(name).steps(XL_417, 1, kind(weight, cap), vcpus)

    def test_cap_may_be_100_per_vcpu(self, name, kind):
        assert words(find_grammar(name).steps(XL_417, 1, kind(256, 200), 2)) == [f"sched-{name} -d 1 -w 256 -c 200"]

    def test_parameters_of_another_scheduler_are_refused(self, name, kind):
        with pytest.raises(ParameterRefused, match="another scheduler"):
            find_grammar(name).steps(XL_417, 1, CgroupParams(weight=100), 1)


def test_one_credit_is_not_the_other():
    with pytest.raises(ParameterRefused, match="Credit2Params, not CreditParams"):
        find_grammar("credit").steps(XL_417, 1, Credit2Params(256), 1)


@pytest.mark.parametrize("name", ["a b;$(touch x)'\"", "1", "db 1 2 3", "x" * 50])
def test_name_does_not_move_the_columns(name):
    text = f"Name                                ID Weight  Cap\n{name:<33} {7:4d} {300:6d} {20:4d}\n"
    assert find_grammar("credit").parse(text, 7, 1) == CreditParams(300, 20)
    assert find_grammar("credit").parse(text, 1, 1) is None


def test_credit2_before_4_10_has_no_cap():
    text = "Cpupool Pool-0:\nName                           ID Weight\nDomain-0                        0    256\n"
    assert find_grammar("credit2").parse(text, 0, 1) == Credit2Params(256, 0)
    assert words(find_grammar("credit2").steps(XL_48, 0, Credit2Params(512), 1)) == ["sched-credit2 -d 0 -w 512"]
    with pytest.raises(ParameterRefused, match=r"Xen 4\.8"):
        find_grammar("credit2").steps(XL_48, 0, Credit2Params(512, 50), 1)


class TestRtds:
    grammar = find_grammar("rtds")

    def test_every_vcpu_is_read_in_order(self):
        assert self.grammar.parse(RTDS_417, 1, 2) == rtds((20_000, 15_000, False), (10_000, 4000, True))

    def test_it_asks_for_what_is_set_and_not_for_defaults(self):
        assert self.grammar.ask(XL_417, 1)[1:] == ("sched-rtds", "-d", "1", "-v", "all")
        assert self.grammar.ask(XL_45, 1)[1:] == ("sched-rtds", "-d", "1")

    def test_equal_vcpus_take_one_command(self):
        params = rtds((10_000, 2400, False), (10_000, 2400, False))
        assert words(self.grammar.steps(XL_417, 1, params, 2)) == ["sched-rtds -d 1 -v all -p 10000 -b 2400 -e 0"]
        assert words(self.grammar.steps(XL_48, 1, params, 2)) == ["sched-rtds -d 1 -v all -p 10000 -b 2400"]
        assert words(self.grammar.steps(XL_45, 1, params, 2)) == ["sched-rtds -d 1 -p 10000 -b 2400"]

    def test_unequal_vcpus_take_one_command_each(self):
        params = rtds((20_000, 15_000, False), (10_000, 4000, True))
        assert words(self.grammar.steps(XL_417, 1, params, 2)) == [
            "sched-rtds -d 1 -v 0 -p 20000 -b 15000 -e 0",
            "sched-rtds -d 1 -v 1 -p 10000 -b 4000 -e 1",
        ]

    def test_one_line_of_4_5_remains_for_all_vcpus(self):
        text = "Cpupool Pool-0: sched=EDF\nName                                ID    Period    Budget\n" + (
            "Domain-0                             0     10000      4000\n"
        )
        assert self.grammar.parse(text, 0, 2) == rtds((10_000, 4000, False), (10_000, 4000, False))

    @pytest.mark.parametrize(
        ("tool", "params", "vcpus"),
        [
            (XL_417, rtds((10_000, 9, False)), 1),
            (XL_417, rtds((9, 9, False)), 1),
            (XL_417, rtds((10_000, 10_001, False)), 1),
            (XL_417, rtds((10_000, 5000, False)), 2),
            (XL_48, rtds((10_000, 5000, True)), 1),
            (XL_45, rtds((10_000, 5000, False), (10_000, 4000, False)), 2),
        ],
    )
    def test_what_a_version_cannot_do_is_refused(self, tool, params, vcpus):
        with pytest.raises(ParameterRefused):
            self.grammar.steps(tool, 1, params, vcpus)


class TestSedf:
    grammar = find_grammar("sedf")
    XL_TEXT = """\
Cpupool Pool-0: sched=SEDF
Name                                ID Period  Slice Latency Extra Weight
Domain-0                             0    100      0       0     1      0
db 1                                 1     20      5       0     0      0
"""
    XM_TEXT = """\
Name                                ID Period(ms) Slice(ms) Lat(ms) Extra Weight
Domain-0                             0      20.0      15.0     0.0      1      0
"""

    def test_both_tools_tables_are_read(self):
        assert self.grammar.parse(self.XL_TEXT, 1, 1) == SedfParams(20, 5)
        assert self.grammar.parse(self.XL_TEXT, 0, 1) == SedfParams(100, 0, 0, extratime=True)
        assert self.grammar.parse(self.XM_TEXT, 0, 1) == SedfParams(20, 15, 0, extratime=True)

    def test_reservation_is_set_whole(self):
        assert words(self.grammar.steps(XL_45, 1, SedfParams(100, 24), 1)) == ["sched-sedf -d 1 -p 100 -s 24 -l 0 -e 0"]
        assert words(self.grammar.steps(XM_41, 1, SedfParams(20, 2.5), 1)) == ["sched-sedf 1 -p 20 -s 2.5 -l 0 -e 0"]

    def test_best_effort_is_restored_as_xen_keeps_it(self):
        original = self.grammar.parse(self.XL_TEXT, 0, 1)
        assert words(self.grammar.steps(XL_45, 0, original, 1)) == ["sched-sedf -d 0 -w 1 -e 1"]

    def test_weight_goes_without_a_reservation(self):
        assert words(self.grammar.steps(XL_45, 1, SedfParams(100, 3, weight=5), 1)) == ["sched-sedf -d 1 -w 5 -e 0"]

    @pytest.mark.parametrize("params", [SedfParams(20, 2.5), SedfParams(20, 21), SedfParams(20_000, 5)])
    def test_what_xl_cannot_do_is_refused(self, params):
        with pytest.raises(ParameterRefused):
            self.grammar.steps(XL_45, 1, params, 1)


@pytest.mark.parametrize("scheduler", ["null", "arinc653", "bvt", ""])
def test_scheduler_without_parameters_is_not_usable(scheduler):
    with pytest.raises(HostNotUsable, match="no parameters"):
        find_grammar(scheduler)
