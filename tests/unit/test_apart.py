"""Tests of the order in which workers get the modules of the tests (`tests.apart`)."""

from tests.apart import order_modules

FOLDERS = {"unit": 60, "ui": 30, "contract": 30}
MODULES = {f"tests/{folder}/test_{number}.py": 10 for folder, many in FOLDERS.items() for number in range(many)}
CONTRACT = [file for file in MODULES if "/contract/" in file]
USERS = {file: "maria" if number % 2 else "database" for number, file in enumerate(CONTRACT[:20])}


def parts(order: list[str], workers: int) -> list[list[str]]:
    """Return the modules that each worker begins with, if all modules have as many tests."""
    size = len(order) // workers
    return [order[start : start + size] for start in range(0, size * workers, size)]


def test_order_modules_keeps_each_database_in_two_parts():
    found = [{USERS[file] for file in part if file in USERS} for part in parts(order_modules(MODULES, USERS, 6), 6)]
    assert found == [{"database"}, {"database"}, {"maria"}, {"maria"}, set(), set()]


def test_order_modules_begins_parts_with_the_database():
    first = parts(order_modules(MODULES, USERS, 6), 6)[1]
    assert all(file in USERS for file in first[:5])


def test_order_modules_has_each_module_once():
    for workers in (1, 2, 6, 50):
        assert sorted(order_modules(MODULES, USERS, workers)) == sorted(MODULES)


def test_order_modules_spreads_folders_over_parts():
    for part in parts(order_modules(MODULES, {}, 6), 6):
        assert any("/unit/" in file for file in part)
