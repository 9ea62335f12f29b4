"""What a completed trade does to an account: which lots it closes, and what it costs."""

from collections.abc import Iterable

import msgspec


class SecurityLot(msgspec.Struct, frozen=True):
    """Pieces of one security that one trade brought to an account; fewer than none were sold without having them."""

    trade: int
    pieces: int
    cents: int


class LotChanges(msgspec.Struct, frozen=True):
    """What a trade does to lots.

    Attributes:
        gone: Trades whose lots are closed.
        rest: The lot of which only some pieces are, with what is left of it; None where there is none.
        new: Pieces of the trade's own lot; 0 for none.
        gain_cents: What the closed pieces brought, less than 0 for a loss.
    """

    gone: tuple[int, ...]
    rest: SecurityLot | None
    new: int
    gain_cents: int


class CustomerTerms(msgspec.Struct, frozen=True):
    """A customer's: commission in 1/10,000 of a trade's value, fee of a trade, tax in 1/10,000 of a gain."""

    rate: int
    fee_cents: int
    tax: int


class TradeSettlement(msgspec.Struct, frozen=True):
    """What a trade costs, and what it does to the account's money."""

    commission_cents: int
    tax_cents: int
    cash_cents: int


def close_lots(lots: Iterable[SecurityLot], pieces: int, cents: int) -> LotChanges:
    """Return what a trade does to lots.

    Args:
        lots: The account's of that security, the one to close first at the beginning.
        pieces: How many are bought; less than 0 for a sale.
        cents: Price of a piece.
    """
    gone: list[int] = []
    rest, left, gain = None, pieces, 0
    for lot in lots:
        if left == 0 or (lot.pieces > 0) == (left > 0):
            break  # all lots lie on one side: this one is only added to
        taken = min(abs(lot.pieces), abs(left)) * (1 if lot.pieces > 0 else -1)
        gain += taken * (cents - lot.cents)
        left += taken
        if taken == lot.pieces:
            gone.append(lot.trade)
        else:
            rest = SecurityLot(lot.trade, lot.pieces - taken, lot.cents)
    return LotChanges(tuple(gone), rest, left, gain)


def settle_trade(pieces: int, cents: int, gain_cents: int, terms: CustomerTerms) -> TradeSettlement:
    """Return what a trade costs: commission, fee, and tax on what was gained.

    Args:
        pieces: How many were bought; less than 0 for a sale.
        cents: Price of a piece.
        gain_cents: What the closed pieces brought.
        terms: The customer's.
    """
    commission = abs(pieces) * cents * terms.rate // 10_000
    tax = max(0, gain_cents) * terms.tax // 10_000
    return TradeSettlement(commission, tax, -pieces * cents - commission - terms.fee_cents - tax)
