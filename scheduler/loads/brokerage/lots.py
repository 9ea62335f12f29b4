"""Effect of a completed trade on an account: closed lots and costs."""

from collections.abc import Iterable

import msgspec


class SecurityLot(msgspec.Struct, frozen=True):
    """Pieces of one security that one trade added to an account.

    Attributes:
        trade: Number of the trade.
        pieces: Number of pieces. < 0 for pieces sold short.
        cents: Price of a piece.
    """

    trade: int
    pieces: int
    cents: int


class LotChanges(msgspec.Struct, frozen=True):
    """Changes of an account's lots by one trade.

    Attributes:
        gone: Trades whose lots are closed.
        rest: Remainder of a partly closed lot. None if no lot is partly closed.
        new: Pieces of the trade's own lot, < 0 for a sale. 0 for none.
        gain_cents: Gain on the closed pieces. < 0 for a loss.
    """

    gone: tuple[int, ...]
    rest: SecurityLot | None
    new: int
    gain_cents: int


class CustomerTerms(msgspec.Struct, frozen=True):
    """Charges and tax of a customer.

    Attributes:
        rate: Commission in 1/10,000 of a trade's value.
        fee_cents: Fee of a trade.
        tax: Tax in 1/10,000 of a gain.
    """

    rate: int
    fee_cents: int
    tax: int


class TradeSettlement(msgspec.Struct, frozen=True):
    """Costs of a trade, and its effect on the account's cash."""

    commission_cents: int
    tax_cents: int
    cash_cents: int


def close_lots(lots: Iterable[SecurityLot], pieces: int, cents: int) -> LotChanges:
    """Return the changes of an account's lots by one trade.

    Args:
        lots: Lots of the account and security, in the order in which they are closed.
        pieces: Pieces bought. < 0 for a sale.
        cents: Price of a piece.
    """
    gone: list[int] = []
    rest, left, gain = None, pieces, 0
    for lot in lots:
        if left == 0 or (lot.pieces > 0) == (left > 0):
            break  # all lots have one sign: the trade only adds a lot
        taken = min(abs(lot.pieces), abs(left)) * (1 if lot.pieces > 0 else -1)
        gain += taken * (cents - lot.cents)
        left += taken
        if taken == lot.pieces:
            gone.append(lot.trade)
        else:
            rest = SecurityLot(lot.trade, lot.pieces - taken, lot.cents)
    return LotChanges(tuple(gone), rest, left, gain)


def settle_trade(pieces: int, cents: int, gain_cents: int, terms: CustomerTerms) -> TradeSettlement:
    """Return the costs of a trade: commission, fee, and tax on the gain.

    Args:
        pieces: Pieces bought. < 0 for a sale.
        cents: Price of a piece.
        gain_cents: Gain on the closed pieces. < 0 for a loss.
        terms: Terms of the customer.
    """
    commission = abs(pieces) * cents * terms.rate // 10_000
    tax = max(0, gain_cents) * terms.tax // 10_000
    return TradeSettlement(commission, tax, -pieces * cents - commission - terms.fee_cents - tax)
