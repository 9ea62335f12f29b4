"""Settings are values: they survive JSON, and no two of a study have one label."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from scheduler.model.guests import LoadedGuests
from scheduler.model.setting import GuestsSetting, SideSetting, SplitSetting, UsersSetting, VcpusSetting, label_of
from scheduler.model.split import Mode, split_between
from scheduler.model.studies import Setting

PARTS = st.integers(100, 1000).map(lambda hundredths: hundredths / 100)
SPLITS = st.builds(split_between, PARTS, PARTS)
SETTINGS = st.one_of(
    st.none(),
    st.builds(SplitSetting, SPLITS),
    st.builds(UsersSetting, st.integers(1, 9999), st.none() | SPLITS),
    st.just(SideSetting(base=True)),
    st.builds(SideSetting, st.just(value=False), st.none() | SPLITS),
    st.builds(VcpusSetting, st.integers(1, 999), st.booleans()),
    st.builds(
        GuestsSetting,
        st.builds(split_between, PARTS, PARTS, PARTS),
        st.sampled_from(list(Mode)),
        st.sampled_from(list(LoadedGuests)),
    ),
)
DECODER = msgspec.json.Decoder(Setting | None)


@given(setting=SETTINGS)
def test_setting_survives_json(setting: Setting | None):
    again = DECODER.decode(msgspec.json.encode(setting))
    assert again == setting
    assert hash(again) == hash(setting)


@given(one=SETTINGS, other=SETTINGS)
def test_settings_differ_wherever_their_labels_differ(one: Setting | None, other: Setting | None):
    assert (one == other) == (label_of(one) == label_of(other))
