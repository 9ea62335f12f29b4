"""Student's t distribution; scipy is imported on first use so that the window starts quickly."""

from functools import lru_cache

CONFIDENCE = 0.95


@lru_cache(maxsize=4096)
def quantile(dof: float, probability: float) -> float:
    """Return t with P(T <= t) = `probability` for `dof` > 0 degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(dof, probability))


def two_sided(dof: float) -> float:
    """Return the factor of a two-sided 95 % interval."""
    return quantile(dof, (1 + CONFIDENCE) / 2)


def below(dof: float, value: float) -> float:
    """Return P(T <= value)."""
    from scipy.special import stdtr

    return float(stdtr(dof, value))


def normal_below(value: float) -> float:
    """Return P(Z <= value) of the standard normal distribution."""
    from scipy.special import ndtr

    return float(ndtr(value))


def upper(dof: float) -> float:
    """Return the factor of a one-sided 95 % bound."""
    return quantile(dof, CONFIDENCE)
