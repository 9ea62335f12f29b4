from tests.xapi_double.fixtures import home, line, member, pairs, pool, session

__all__ = ["home", "line", "member", "pairs", "pool", "session"]
