"""A paper as data: where it comes from, its tables, and what it states, each with the place where it stands.

Nothing is copied: facts are in our words. What a paper gives only as a picture is not here.
"""

import msgspec

PaperCell = str | int | float


class PaperMethod(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the paper measured, in a few words each; empty where its text does not tell.

    Attributes:
        machine: Hardware of the server, and of the clients.
        hypervisor: Which one, and its scheduler.
        database: Which one.
        users: Who makes the load.
        repeats: How often and how long, and what is told of the spread.
        short: All of it in one line, for a picture.
    """

    machine: str
    hypervisor: str
    database: str
    users: str
    repeats: str
    short: str


class PaperColumn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of a table.

    Attributes:
        name: Its heading, in our words.
        unit: Unit of its numbers; empty for names and counts.
        better: `higher` or `lower`, where one value can be better than another.
    """

    name: str
    unit: str = ""
    better: str = ""


class PaperTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table, or figures that the text gives in words.

    Attributes:
        id: Unique within the paper.
        title: What it holds, in our words.
        where: Number and section.
        columns: What its columns hold; the first names the rows.
        rows: A cell per column; empty text where the paper gives none.
        page: Page; 0 where the text has no page numbers.
        note: What one has to know to read it.
    """

    id: str
    title: str
    where: str
    columns: tuple[PaperColumn, ...]
    rows: tuple[tuple[PaperCell, ...], ...]
    page: int = 0
    note: str = ""

    def values(self, column: str) -> dict[str, float]:
        """Return row name to number of a column, without the empty cells; raises KeyError for an unknown column."""
        names = [found.name for found in self.columns]
        if column not in names:
            raise KeyError(column)
        at = names.index(column)
        return {str(row[0]): float(row[at]) for row in self.rows if not isinstance(row[at], str)}


class OrderClaim(msgspec.Struct, frozen=True, kw_only=True, tag="above", tag_field="kind", forbid_unknown_fields=True):
    """Each of some splits has a higher throughput than each of others; so a best, a worst and a rank are told.

    Attributes:
        load: Load kind.
        splits: The higher ones.
        others: The lower ones.
    """

    load: str
    splits: tuple[str, ...]
    others: tuple[str, ...]


class GapClaim(msgspec.Struct, frozen=True, kw_only=True, tag="gap", tag_field="kind", forbid_unknown_fields=True):
    """How far a split lies below the best one.

    Attributes:
        load: Load kind.
        gap_frac: By which part of the best, 0..1.
        split: Which one; empty for the worst, whichever that is.
        at: Which one that is in the paper, where `split` is empty and the paper tells.
        within_frac: Gaps up to this far from `gap_frac` count as the same; ours, not the paper's.
    """

    load: str
    gap_frac: float
    split: str = ""
    at: str = ""
    within_frac: float = 0.05


class MedianClaim(msgspec.Struct, frozen=True, kw_only=True, tag="half", tag_field="kind", forbid_unknown_fields=True):
    """Some splits do well, or badly, under several loads: none has more than half of the others above, or below.

    Attributes:
        loads: Load kinds.
        splits: Which ones.
        upper: True for well.
    """

    loads: tuple[str, ...]
    splits: tuple[str, ...]
    upper: bool


class DifferentBestClaim(
    msgspec.Struct, frozen=True, kw_only=True, tag="apart", tag_field="kind", forbid_unknown_fields=True
):
    """No split is the best under both loads.

    Attributes:
        loads: Two load kinds.
    """

    loads: tuple[str, str]


class FigureClaim(
    msgspec.Struct, frozen=True, kw_only=True, tag="figure", tag_field="kind", forbid_unknown_fields=True
):
    """A figure that a study of another kind can be laid beside.

    Attributes:
        name: What it is, with its unit as the last word of the name.
        value: The figure.
    """

    name: str
    value: float


PaperClaim = OrderClaim | GapClaim | MedianClaim | DifferentBestClaim | FigureClaim


class PaperStatement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something the paper states.

    Attributes:
        id: Unique within the paper.
        says: What, in our words.
        where: Section.
        page: Page; 0 where the text has no page numbers.
        claim: The same for a machine; None for what no study of ours can tell.
        reading: How we understood it, where its words leave room.
    """

    id: str
    says: str
    where: str
    page: int = 0
    claim: PaperClaim | None = None
    reading: str = ""


class PublishedPaper(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A paper.

    Attributes:
        id: Name of its file.
        authors: Family names, in order.
        title: As printed.
        venue: Where it appeared; empty where its text does not tell.
        year: When; 0 where its text does not tell.
        dated: How the year is known, where it is not printed.
        study: Which of our studies asks what it asked: `split`, `capacity`, `overhead` or `scale-up`.
        loads: Load kinds that its loads are the like of.
        method: How it measured.
        left_out: What it gives only as pictures, so that it is not here.
        tables: Its tables.
        statements: What it states.
        splits: The splits that it measured, in its order; of the study `split` only.
    """

    id: str
    authors: tuple[str, ...]
    title: str
    study: str
    loads: tuple[str, ...]
    method: PaperMethod
    left_out: str
    venue: str = ""
    year: int = 0
    dated: str = ""
    tables: tuple[PaperTable, ...] = ()
    statements: tuple[PaperStatement, ...] = ()
    splits: tuple[str, ...] = ()

    @property
    def citation(self) -> str:
        """Authors and year as a text quotes them: `Calheiros et al. (2007)`."""
        names = f"{self.authors[0]} et al." if len(self.authors) > 2 else " and ".join(self.authors)
        return f"{names} ({self.year})" if self.year else names

    def table(self, name: str) -> PaperTable:
        """Return the table of that id; raises KeyError."""
        return {table.id: table for table in self.tables}[name]
