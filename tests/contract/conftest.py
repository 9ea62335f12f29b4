"""What the contract tests share: one PostgreSQL per session."""

from tests.contract.postgres_fixture import database

__all__ = ["database"]
