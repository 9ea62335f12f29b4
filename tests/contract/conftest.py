"""What the contract tests share: one PostgreSQL and one MariaDB per session, and embedded ones to break."""

from tests.contract.mariadb_fixture import maria, maria_folder, maria_server
from tests.contract.postgres_fixture import database, folder, server

__all__ = ["database", "folder", "maria", "maria_folder", "maria_server", "server"]
