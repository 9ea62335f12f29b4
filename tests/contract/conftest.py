"""What the contract tests share: one PostgreSQL per session, and embedded ones to break."""

from tests.contract.postgres_fixture import database, folder, server

__all__ = ["database", "folder", "server"]
