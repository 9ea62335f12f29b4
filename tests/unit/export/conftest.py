import contextlib

import pytest

from scheduler.export.material import ExportMaterial
from scheduler.model.decision import SweepPurpose
from scheduler.model.documents import HostCommand
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents, make_spec
from tests.unit.export.domain_bundle import Bundle


def material_from(documents) -> ExportMaterial:
    started = documents[0]
    command_log = tuple(doc for doc in documents if isinstance(doc, HostCommand))
    return ExportMaterial(summarise_run(documents), started.spec, started.facts, command_log)


@pytest.fixture(scope="session")
def measured() -> ExportMaterial:
    """Return a sweep of a CPU that has to be divided; its decision orders 1:1."""
    return material_from(make_documents(samples=False, spec=make_spec(purpose=SweepPurpose.DIVIDE)))


@pytest.fixture(scope="session")
def simulated() -> ExportMaterial:
    return material_from(make_documents(samples=False, host_url="sim:", simulated=True))


@pytest.fixture
def material():
    """Return a function that makes material from `make_documents` options."""
    return lambda **options: material_from(make_documents(samples=False, **options))


@pytest.fixture
def bundle(material, tmp_path):
    """Return a function that makes a bundle for domains of a kind of host, beside that host."""
    with contextlib.ExitStack() as made:

        def bundle(kind: str, **options) -> Bundle:
            new = Bundle(kind, material, tmp_path, **options)
            made.callback(new.close)
            return new

        yield bundle
