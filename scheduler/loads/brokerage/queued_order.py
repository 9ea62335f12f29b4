"""An order that is to be carried out, with all that its completion needs to know."""

from scheduler.databases.protocols import Row
from scheduler.loads.brokerage.lots import CustomerTerms
from scheduler.loads.brokerage.prices import BUYING_KINDS
from scheduler.loads.brokerage.user_statements import money_cents, rate_ten_thousandths


class QueuedOrder:
    """An order of a queue, as its row has it.

    Args:
        trade: Number of the trade.
        row: What `QUERY` asks for.
    """

    QUERY = (
        "SELECT t_status, t_ca_id, t_b_id, t_s_id, t_type, t_qty, t_is_cash, t_lifo, lt_price, c_rate, c_fee, c_tax"
        " FROM @.trade JOIN @.last_trade ON lt_s_id = t_s_id JOIN @.account ON ca_id = t_ca_id"
        " JOIN @.customer ON c_id = ca_c_id WHERE t_id = {}"
    )

    def __init__(self, trade: int, row: Row) -> None:
        status, account, broker, security, kind, pieces, is_cash, last_in, price, rate, fee, tax = row
        self.trade, self.status = trade, str(status)
        self.account, self.broker, self.security = int(account), int(broker), int(security)
        self.kind, self.price = str(kind), money_cents(price)
        self.pieces = int(pieces) if self.kind in BUYING_KINDS else -int(pieces)
        self.is_cash, self.last_in = bool(is_cash), bool(last_in)
        self.terms = CustomerTerms(rate_ten_thousandths(rate), money_cents(fee), rate_ten_thousandths(tax))

    @property
    def where(self) -> str:
        """Which rows of the summary are meant."""
        return f"hs_ca_id = {self.account} AND hs_s_id = {self.security}"
