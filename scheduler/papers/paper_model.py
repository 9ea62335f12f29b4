"""Model of a published paper: source, tables, and statements with their sections.

Nothing is copied: statements are in DomTune's words. Figures that a paper gives only as a picture are not included.
"""

import msgspec

from scheduler.translation import _

PaperCell = str | int | float


class PaperMethod(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Method of a paper, in a few words per part; empty for parts not in the text.

    Attributes:
        machine: Hardware of the server and of the clients.
        hypervisor: Hypervisor and its scheduler.
        database: Database.
        users: Source of the load.
        repeats: Number and length of repeats, and statements on their spread.
        short: The method as one line, for a picture.
    """

    machine: str
    hypervisor: str
    database: str
    users: str
    repeats: str
    short: str


class PaperColumn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Column of a table.

    Attributes:
        name: Heading in DomTune's words.
        unit: Unit of the numbers; empty for names and counts.
        better: `higher` or `lower`, where one value can be better than another; else empty.
    """

    name: str
    unit: str = ""
    better: str = ""


class PaperTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Table of a paper, or figures that its text gives in words.

    Attributes:
        id: Id, unique within the paper.
        title: Title in DomTune's words.
        where: Number and section.
        columns: The columns; the first one names the rows.
        rows: One cell per column; an empty text where the paper gives no value.
        page: Page; 0 in a text without page numbers.
        note: Note on reading the table.
    """

    id: str
    title: str
    where: str
    columns: tuple[PaperColumn, ...]
    rows: tuple[tuple[PaperCell, ...], ...]
    page: int = 0
    note: str = ""

    def values(self, column: str) -> dict[str, float]:
        """Return the numbers of a column by row name, without the empty cells.

        Raises:
            KeyError: The table has no such column.
        """
        names = [found.name for found in self.columns]
        if column not in names:
            raise KeyError(column)
        at = names.index(column)
        return {str(row[0]): float(row[at]) for row in self.rows if not isinstance(row[at], str)}


class OrderClaim(msgspec.Struct, frozen=True, kw_only=True, tag="above", tag_field="kind", forbid_unknown_fields=True):
    """Claim that each of some splits has a higher throughput than each of others.

    Such a claim can express a best split, a worst split and a rank.

    Attributes:
        load: Load kind.
        splits: The splits with the higher throughput.
        others: The splits with the lower throughput.
    """

    load: str
    splits: tuple[str, ...]
    others: tuple[str, ...]


class GapClaim(msgspec.Struct, frozen=True, kw_only=True, tag="gap", tag_field="kind", forbid_unknown_fields=True):
    """Claim about the distance of a split from the best one.

    Attributes:
        load: Load kind.
        gap_frac: Distance as a share of the best split's throughput, 0..1.
        split: The split; empty for the worst split, which may differ between runs.
        at: The worst split in the paper, when `split` is empty and the paper names it.
        within_frac: Largest difference from `gap_frac` that counts as equal; DomTune's choice, not the paper's.
    """

    load: str
    gap_frac: float
    split: str = ""
    at: str = ""
    within_frac: float = 0.05


class MedianClaim(msgspec.Struct, frozen=True, kw_only=True, tag="half", tag_field="kind", forbid_unknown_fields=True):
    """Claim that some splits are in the upper or lower half under several loads.

    At most half of the other splits are above them, or below them.

    Attributes:
        loads: Load kinds.
        splits: The splits.
        upper: True for the upper half, False for the lower half.
    """

    loads: tuple[str, ...]
    splits: tuple[str, ...]
    upper: bool


class DifferentBestClaim(
    msgspec.Struct, frozen=True, kw_only=True, tag="apart", tag_field="kind", forbid_unknown_fields=True
):
    """Claim that no split is the best under both of two loads.

    Attributes:
        loads: Two load kinds.
    """

    loads: tuple[str, str]


class FigureClaim(
    msgspec.Struct, frozen=True, kw_only=True, tag="figure", tag_field="kind", forbid_unknown_fields=True
):
    """Figure for a comparison with a study of another kind.

    Attributes:
        name: Name of the figure, with its unit as the last word.
        value: The figure, in the unit that its name ends with.
    """

    name: str
    value: float


PaperClaim = OrderClaim | GapClaim | MedianClaim | DifferentBestClaim | FigureClaim


class PaperStatement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Statement of a paper.

    Attributes:
        id: Id, unique within the paper.
        says: The statement in DomTune's words.
        where: Section.
        page: Page; 0 in a text without page numbers.
        claim: The statement in a form that DomTune can check; None when no study can check it.
        reading: Interpretation of an ambiguous statement; empty for a clear one.
    """

    id: str
    says: str
    where: str
    page: int = 0
    claim: PaperClaim | None = None
    reading: str = ""


class PublishedPaper(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Published paper.

    Attributes:
        id: Name of the file.
        authors: Family names in order.
        title: Title as printed.
        venue: Place of publication; empty when the text does not give it.
        year: Year of publication; 0 when the text does not give it.
        dated: Source of the year, when it is not printed.
        study: The study on the same question: `split`, `capacity`, `overhead` or `scale-up`.
        loads: Load kinds that resemble the paper's loads.
        method: Method of the paper.
        left_out: Results that the paper gives only as pictures, which are therefore not included.
        tables: Tables of the paper.
        statements: Statements of the paper.
        splits: The measured splits in the paper's order; empty in other studies than `split`.
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
        """Authors and year as in a text: `Calheiros et al. (2007)`."""
        names = (
            _("{authors} et al.").format(authors=self.authors[0])
            if len(self.authors) > 2
            else " and ".join(self.authors)
        )
        return f"{names} ({self.year})" if self.year else names

    def table(self, name: str) -> PaperTable:
        """Return the table with an id; raise KeyError without one."""
        return {table.id: table for table in self.tables}[name]
