from pathlib import Path

from app.settings import Settings


def test_settings_are_kept_in_the_home_of_this_domtune(home: Path):
    one = Settings()
    one.appearance = "dark"
    one.users = 12
    one.measure_s = 30
    one.export_dir = home
    for number in range(10):
        one.remember_host(f"xl+ssh://root@lab{number}")
    one.remember_host("local:")
    one.sync()
    other = Settings()
    assert other.path.parent == home
    assert (other.appearance, other.users, other.measure_s, other.export_dir) == ("dark", 12, 30, home)
    assert other.recent_hosts[:2] == ("local:", "xl+ssh://root@lab9")
    assert len(other.recent_hosts) == 8


def test_one_recent_host_is_still_a_list(home: Path):
    one = Settings()
    one.remember_host("local:")
    one.sync()
    assert Settings().recent_hosts == ("local:",)


def test_damaged_settings_read_as_defaults(home: Path):
    text = "[General]\ntheme=mauve\nusers=many\nmeasure_s=-4\nexport_dir=/no/such/folder\ngeometry=oops\n"
    (home / "domtune.ini").write_text(text, encoding="utf-8")
    kept = Settings()
    assert (kept.appearance, kept.users, kept.measure_s) == ("system", 0, 0)
    assert kept.export_dir == Path.home()
    assert kept.geometry.isEmpty()
