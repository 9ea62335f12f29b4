import dataclasses

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.wizard.page_names import PAGES, page_of
from app.wizard.sweep_form import SweepForm
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import list_standard_kinds
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import PAPER_SPLITS, RunSpec
from scheduler.model.studies import STUDIES
from tests.unit.app.any_spec import specs
from tests.volume import times


@given(specs())
def test_form_made_from_a_sweep_means_that_sweep(spec: RunSpec):
    assert SweepForm.from_spec(spec).to_spec() == spec


@given(specs())
@settings(max_examples=times(20, 50))
def test_form_survives_the_plan_file(spec: RunSpec):
    typed = SweepForm.from_spec(spec).to_spec()
    assert isinstance(typed, RunSpec)
    assert SweepForm.from_spec(parse_plan(write_plan(typed))).to_spec() == spec


TEXTS = SweepForm().texts


@given(
    st.builds(
        SweepForm,
        host=st.text(max_size=8),
        splits=st.lists(st.text(max_size=6), max_size=4),
        texts=st.dictionaries(st.sampled_from(sorted(TEXTS.keys() - {"mode"})), st.text(max_size=6)).map(TEXTS.__or__),
        study=st.sampled_from([*STUDIES]),
        scheduler=st.sampled_from(["", "cgroup-v1", "sedf-9"]),
    )
)
@example(SweepForm(texts=TEXTS | {"seed": "0\x1f"}))  # a separator that str.strip takes away and int does not
def test_any_text_gives_a_sweep_or_messages_and_nothing_else(form: SweepForm):
    result = form.to_spec()
    if isinstance(result, dict):
        assert result
        assert all(page_of(field) in PAGES and text for field, text in result.items())
        assert isinstance(form.corrected(result).to_spec(), RunSpec)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_valid_on_its_defaults(page: str):
    form = SweepForm()
    assert form.messages(page) == {}
    form.scheduler = "cgroup-v1"
    assert form.messages(page) == {}


def test_defaults_are_what_the_command_line_does_by_default():
    spec = SweepForm().to_spec()
    assert isinstance(spec, RunSpec)
    assert spec == RunSpec(
        host_url="local:",
        settings=tuple(parse_split_setting(text) for text in PAPER_SPLITS),
        loads=tuple(LoadSpec(kind) for kind in list_standard_kinds()),
        weights=dict.fromkeys(list_standard_kinds(), 1.0),
        by_host=("users",),
    )


_ATTRIBUTES = {each.name for each in dataclasses.fields(SweepForm)}


def _form(**typed: object) -> SweepForm:
    form = SweepForm(**{name: value for name, value in typed.items() if name in _ATTRIBUTES})
    form.texts |= {path: text for path, text in typed.items() if path not in _ATTRIBUTES}
    return form


@pytest.mark.parametrize(
    ("typed", "field", "parts"),
    [
        ({"host": " "}, "host", ("None given", "local:")),
        ({"host": "my server"}, "host", ("'my server'", "KIND:WHERE", "local:")),
        ({"domains.io": "db1", "domains.guest": " db1 "}, "domains.guest", ("'db1'", "Name the other")),
        ({"splits": ["1:1", "0:1"]}, "splits[1]", ("'0:1'", "positive", "1:2")),
        ({"splits": ["1:"]}, "splits[0]", ("'1:'", "a:b")),
        ({"splits": ["a:b"]}, "splits[0]", ("'a:b'", "two positive numbers")),
        ({"splits": ["-1:2"]}, "splits[0]", ("'-1:2'", "positive")),
        ({"splits": ["1:100000"]}, "splits[0]", ("'1:100000'", "100 times apart")),
        ({"splits": []}, "splits", ("None given", "at least one")),
        ({"splits": ["1:2", "1:2"]}, "splits", ("1:2", "more than once")),
        ({"period_ms": "0.5"}, "period_ms", ("0.5", "1..1000")),
        ({"period_ms": "fast"}, "period_ms", ("'fast'", "not a number", "20")),
        ({"period_ms": "inf"}, "period_ms", ("'inf'", "not a number")),
        ({"seed": "x"}, "seed", ("'x'", "whole number")),
        ({"seed": "-1"}, "seed", ("-1", "0..4294967295")),
    ],
)
def test_bad_input_gets_a_message_with_its_value_and_what_is_allowed(
    typed: dict[str, object], field: str, parts: tuple[str, ...]
):
    messages = _form(**typed).to_spec()
    assert isinstance(messages, dict)
    assert list(messages) == [field]
    assert all(part in messages[field] for part in parts)


@pytest.mark.parametrize(("text", "part"), [("0", "0 %"), ("100", "100 %"), ("nan", "nan"), ("two", "not a number")])
def test_differences_that_count_as_none_are_a_small_part(text: str, part: str):
    form = _form()
    form.texts["objective.tolerance_frac"] = text
    messages = form.to_spec()
    assert isinstance(messages, dict)
    assert list(messages) == ["objective.tolerance_frac"]
    assert part in messages["objective.tolerance_frac"]
    form.texts["objective.tolerance_frac"] = "3,5"
    spec = form.to_spec()
    assert isinstance(spec, RunSpec)
    assert spec.objective.tolerance_frac == 0.035


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("users", "0", ("0", "1..256")),
        ("users", "many", ("'many'", "whole number")),
        ("tuples", "2500", ("2500", "multiple of 1000")),
        ("tuples", "1000", ("1000", "2000..10000000")),
        ("weight", "-1", ("-1", "0..1000000")),
        ("weight", "half", ("'half'", "number")),
        ("database", "", ("None given", "postgresql://USER@HOST:PORT/NAME")),
        ("database", "oracle://h/d", ("'oracle://h/d'", "postgresql://")),
        ("database", "postgresql://u:secret@h/d", ("password", "Take it out")),
    ],
)
def test_bad_input_on_a_load_is_reported_next_to_that_load(name: str, text: str, parts: tuple[str, ...]):
    form = SweepForm()
    form.loads["osdb-oltp"]["own"] = "yes"
    form.loads["osdb-oltp"]["database"] = "postgresql://u@h/d"
    form.loads["osdb-oltp"][name] = text
    messages = form.messages("loads")
    assert list(messages) == [f"loads.osdb-oltp.{name}"]
    assert all(part in messages[f"loads.osdb-oltp.{name}"] for part in parts)
    assert "secret" not in str(messages)


@pytest.mark.parametrize(
    ("name", "text", "allowed"),
    [
        ("repeats", "0", "1..1000"),
        ("measure_s", "100000", "1..86400"),
        ("settle_s", "-1", "0..3600"),
        ("load_settle_s", "3601", "0..3600"),
        ("repeats", "three", "whole number"),
    ],
)
def test_bad_windows_are_reported_next_to_their_field(name: str, text: str, allowed: str):
    form = SweepForm()
    form.windows["adaptive"][name] = text
    assert form.messages("host") == {}
    assert list(form.messages("protocol")) == [name]
    assert text in form.messages()[name]
    assert allowed in form.messages()[name]


def test_everything_wrong_is_reported_at_once():
    form = _form(host="", splits=["x", "1:2", "y"], seed="?")
    form.loads["osdb-ir"]["users"] = "999"
    assert set(form.messages()) == {"host", "splits[0]", "splits[2]", "loads.osdb-ir.users", "seed"}


def test_bad_text_in_a_field_that_is_not_asked_for_does_no_harm_and_is_kept():
    form = _form(mode="weights", period_ms="nonsense", protocol="adaptive")
    form.windows["replicate"]["repeats"] = "nonsense"
    form.loads["osdb-oltp"]["on"] = "no"
    form.loads["osdb-oltp"]["users"] = "nonsense"
    form.loads["osdb-ir"]["database"] = "nonsense"
    spec = form.to_spec()
    assert isinstance(spec, RunSpec)
    assert [load.kind for load in spec.loads] == ["osdb-ir"]
    assert (form.texts["period_ms"], form.loads["osdb-oltp"]["users"]) == ("nonsense", "nonsense")
    capped = _form(mode="caps", scheduler="credit2", period_ms="nonsense").to_spec()
    assert isinstance(capped, RunSpec)


def test_sweep_without_any_load_is_refused():
    form = SweepForm()
    for fields in form.loads.values():
        fields["on"] = "no"
    assert list(form.messages()) == ["loads"]


def test_weights_that_are_all_zero_are_refused_once():
    form = SweepForm()
    for fields in form.loads.values():
        fields["weight"] = "0"
    assert list(form.messages()) == ["weights"]
    form.loads["osdb-ir"]["weight"] = "2,5"
    spec = form.to_spec()
    assert isinstance(spec, RunSpec)
    assert spec.weights == {"osdb-ir": 2.5, "osdb-oltp": 0.0}


def test_split_that_the_host_cannot_express_is_reported_next_to_it_once_the_host_is_known():
    form = _form(splits=["1:1", "1:10"], period_ms="5")
    assert form.messages() == {}
    form.scheduler = "cgroup-v2"
    assert list(form.messages("splits")) == ["splits[1]"]
    assert "1000 us" in form.messages()["splits[1]"]


def test_rows_report_what_each_split_becomes():
    form = _form(splits=["1:1", "1:10", "x"], scheduler="cgroup-v1", period_ms="20")
    even, tenth, bad = form.split_rows()
    assert even.encoding is not None
    assert even.encoding.rounding_error_frac == 0
    assert tenth.encoding is not None
    assert tenth.encoding.params["io"].quota_us == 1818
    assert tenth.encoding.params["guest"].quota_us == 18182
    assert (bad.setting, bad.encoding) == (None, None)
    assert "'x'" in bad.message
    form.scheduler = ""
    assert [row.encoding for row in form.split_rows()] == [None, None, None]


def test_unknown_scheduler_is_reported_next_to_the_host():
    form = _form(scheduler="sedf-9")
    assert list(form.messages()) == ["host"]
    assert "sedf-9" in form.messages()["host"]


def test_passwords_go_into_the_secrets_and_nowhere_else():
    form = SweepForm()
    load = form.loads["osdb-ir"]
    form.passwords["osdb-ir"] = "s3cret"
    assert form.secrets() == {}
    load["own"], load["database"] = "yes", " postgresql://u@h/d "
    assert form.secrets() == {"postgresql://u@h/d": "s3cret"}
    assert "s3cret" not in repr(form)
    assert "s3cret" not in repr(form.to_spec())
    load["on"] = "no"
    assert form.secrets() == {}


def test_protocol_of_a_fixed_length_is_not_refined_and_the_wish_is_kept():
    form = _form(refine=True, protocol="grid")
    assert not form.to_spec().protocol.refine
    form.protocol = "quick"
    assert form.to_spec().protocol.refine
    form.texts["objective.name"] = "worst-case"
    assert not form.to_spec().protocol.refine


def test_fixed_form_has_the_defaults_where_something_is_wrong_and_the_rest_as_typed():
    form = _form(host="my server", splits=["0:1"], mode="weights", seed="7", scheduler="cgroup-v2")
    mended = form.corrected(form.messages())
    assert (mended.host, mended.texts["mode"], mended.splits) == ("local:", "caps", list(PAPER_SPLITS))
    assert mended.texts["seed"] == "7"
    assert mended.messages() == {}
    assert form.splits == ["0:1"]
