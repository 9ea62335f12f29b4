"""Style sheet of the window, on top of Qt's Fusion style.

Widgets choose their style with dynamic properties: `role` on labels (display, title, lead, dim, caption, warn, danger,
good, io, guest, guest_2, mono, and the name of the colour of a load kind), `kind` on buttons (primary, danger, quiet),
`look` on frames (card, rail, bar-warn, bar-danger, bar-info, bar-good). Focus is a 2 px ring in the accent colour.
"""

from pathlib import Path
from string import Template

from app.theme.tokens import CORNER, SIZE_DISPLAY_PT, SIZE_LEAD_PT, SIZE_TITLE_PT, Palette
from scheduler.model.load_kinds import LOAD_KINDS

ICONS = Path(__file__).parents[2] / "resources" / "icons"

_SHEET = Template("""
QWidget { color: $text; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QMainWindow, QDialog, QStackedWidget { background: $surface; }
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 6px 8px; }

QLabel, QCheckBox, QRadioButton { background: transparent; }
QLabel[role="display"] { font-size: ${display}pt; font-weight: 600; }
QLabel[role="title"] { font-size: ${title}pt; font-weight: 600; }
QLabel[role="lead"] { font-size: ${lead}pt; font-weight: 600; }
QLabel[role="large"] { font-size: ${lead}pt; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="dim"], QLabel[role="caption"] { color: $dim; }
QLabel[role="warn"] { color: $warn_text; }
QLabel[role="danger"] { color: $danger_text; }
QLabel[role="good"] { color: $good_text; }
QLabel[role="io"] { color: $io_text; }
QLabel[role="guest"] { color: $guest_text; }
QLabel[role="guest_2"] { color: $guest_2_text; }
$loads
QLabel:disabled { color: $edge; }

QFrame[look="card"] { background: $raised; border: 1px solid $line; border-radius: ${corner}px; }
QFrame[look="chip"] { background: $sunken; border: 1px solid $line; border-radius: ${corner}px; }
QFrame[look="rail"] { background: $sunken; border: none; border-right: 1px solid $line; }
QFrame[look="strip"] { background: $raised; border: none; border-bottom: 1px solid $line; }
QFrame[look="footer"] { background: $raised; border: none; border-top: 1px solid $line; }
QFrame[look="line"] { background: $line; border: none; min-height: 1px; max-height: 1px; }
QFrame[look="bar-warn"] { background: $warn_soft; border: 1px solid $warn; border-radius: ${corner}px; }
QFrame[look="bar-danger"] { background: $danger_soft; border: 1px solid $danger; border-radius: ${corner}px; }
QFrame[look="bar-info"] { background: $accent_soft; border: 1px solid $accent; border-radius: ${corner}px; }
QFrame[look="bar-good"] { background: $good_soft; border: 1px solid $good; border-radius: ${corner}px; }
QFrame[look="banner"] { background: $banner; border: none; }
QFrame[look="banner"] QLabel { color: $on_banner; }

QPushButton { background: $raised; color: $text; border: 1px solid $edge; border-radius: ${corner}px;
  padding: 6px 14px; min-height: 18px; }
QPushButton:hover { background: $hover; }
QPushButton:pressed, QPushButton:checked { background: $accent_soft; border-color: $accent; }
QPushButton:focus { border: 2px solid $accent; padding: 5px 13px; }
QPushButton:disabled { color: $edge; border-color: $line; background: $surface; }
QPushButton[kind="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600;
  padding: 6px 20px; }
QPushButton[kind="primary"]:hover { background: $accent_hover; }
QPushButton[kind="primary"]:pressed { background: $accent_text; }
QPushButton[kind="primary"]:focus { border: 2px solid $text; padding: 5px 19px; }
QPushButton[kind="primary"]:disabled { background: $line; color: $dim; border-color: $line; }
QPushButton[kind="danger"] { color: $danger_text; border-color: $danger; }
QPushButton[kind="danger"]:hover { background: $danger_soft; }
QPushButton[kind="danger"]:focus { border: 2px solid $danger; padding: 5px 13px; }
QPushButton[kind="danger"]:disabled { color: $edge; border-color: $line; }
QPushButton[kind="on-banner"] { background: transparent; color: $on_banner; border-color: $on_banner; }
QPushButton[kind="on-banner"]:focus { border: 2px solid $on_banner; padding: 5px 13px; font-weight: 600; }
QPushButton[kind="on-banner-strong"] { background: $on_banner; color: $banner; border-color: $on_banner;
  font-weight: 600; }
QPushButton[kind="on-banner-strong"]:hover { background: $danger_soft; color: $danger_text; }
QPushButton[kind="on-banner-strong"]:focus { border: 2px solid $text; padding: 5px 13px; }
QPushButton[kind="on-banner-strong"]:disabled { background: $banner; color: $on_banner; border-color: $on_banner; }
QPushButton[kind="warning"] { background: $warn_soft; color: $warn_text; border-color: $warn; }
QPushButton[kind="warning"]:hover { background: $hover; }
QPushButton[kind="warning"]:focus { border: 2px solid $warn; padding: 5px 13px; }
QPushButton[kind="link"] { background: transparent; border: 1px solid transparent; color: $accent_text;
  padding: 4px 6px; text-align: left; }
QPushButton[kind="link"]:hover { background: $hover; }
QPushButton[kind="link"]:checked { background: transparent; border-color: transparent; }
QPushButton[kind="preset"] { background: $raised; border: 1px solid $line; color: $text; padding: 3px 8px; }
QPushButton[kind="preset"]:hover { background: $hover; }
QPushButton[kind="preset"]:checked { background: $accent_soft; border-color: $accent; color: $text; }
QPushButton[kind="preset"]:focus { border: 2px solid $accent; padding: 2px 7px; }
QPushButton[kind="link"]:disabled { color: $edge; }
QPushButton[kind="link"]:focus { border: 2px solid $accent; padding: 3px 5px; }

QToolButton { background: transparent; color: $text; border: 1px solid transparent; border-radius: ${corner}px;
  padding: 4px 8px; }
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $accent_soft; color: $accent_text; }
QToolButton:focus { border: 1px solid $accent; background: $hover; }
QToolButton:disabled { color: $edge; }
QToolButton::menu-indicator { image: none; }
QToolButton[kind="rail"] { padding: 8px 4px; border-radius: ${corner}px; }
QToolButton[kind="rail-compact"] { padding: 5px 4px; border-radius: ${corner}px; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox { background: $raised; color: $text;
  border: 1px solid $edge; border-radius: ${corner}px; padding: 5px 8px; min-height: 18px;
  selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {
  border: 2px solid $accent; padding: 4px 7px; }
QSpinBox QLineEdit, QDoubleSpinBox QLineEdit, QComboBox QLineEdit { border: none;
  padding: 0 0 0 4px; background: transparent; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled { color: $edge;
  border-color: $line; background: $surface; }
QLineEdit[invalid="true"], QComboBox[invalid="true"], QSpinBox[invalid="true"] { border: 2px solid $danger;
  padding: 4px 7px; }
QComboBox::drop-down, QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button,
  QDoubleSpinBox::down-button { border: none; background: transparent; width: 22px; }
QComboBox::down-arrow, QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url("$icons/control-down-$shade.svg");
  width: 12px; height: 12px; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url("$icons/control-up-$shade.svg"); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $line; outline: none;
  selection-background-color: $accent_soft; selection-color: $text; }
QCheckBox, QRadioButton { spacing: 8px; padding: 3px; border: 1px solid transparent; border-radius: 4px; }
QCheckBox:focus, QRadioButton:focus { border: 1px solid $accent; }
QCheckBox::indicator, QRadioButton::indicator { width: 16px; height: 16px;
  border: 1px solid $edge; background: $raised; }
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: 9px; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent;
  image: url("$icons/control-check-$shade.svg"); }
QRadioButton::indicator:checked { background: $accent; border-color: $accent;
  image: url("$icons/control-dot-$shade.svg"); }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { border-color: $line; background: $surface; }

QSlider { min-height: 24px; border: 1px solid transparent; border-radius: 4px; }
QSlider:focus { border: 1px solid $accent; }
QSlider::groove:horizontal { height: 4px; background: $line; border-radius: 2px; }
QSlider::handle:horizontal { width: 16px; height: 16px; margin: -6px 0; border-radius: 8px; background: $accent; }
QProgressBar { background: $line; border: none; border-radius: 3px; max-height: 6px; text-align: center; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }

QTableView, QListView, QTreeView { background: $raised; border: 1px solid $line; border-radius: ${corner}px;
  gridline-color: $line; alternate-background-color: $surface; selection-background-color: $accent_soft;
  selection-color: $text; outline: none; }
QTableView:focus, QListView:focus, QTreeView:focus { border: 1px solid $accent; }
QTableView::item { padding: 4px 8px; }
QHeaderView { background: $sunken; border: none; }
QHeaderView::section { background: $sunken; color: $dim; border: none; border-bottom: 1px solid $line;
  padding: 6px 8px; }
QTableCornerButton::section { background: $sunken; border: none; }

QAbstractScrollArea::corner { background: transparent; }
QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget[scrolled="true"] { background: transparent; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: $edge; border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: $line; }
QMenu { background: $raised; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; color: $text; }
QMenu::item:disabled { color: $edge; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenuBar { background: $surface; }
QMenuBar::item { padding: 4px 10px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QTabBar::tab { background: transparent; color: $dim; border: none; border-bottom: 2px solid transparent;
  padding: 8px 12px; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:focus { color: $accent_text; }
QTabWidget::pane { border: none; border-top: 1px solid $line; }
""")


def build_style_sheet(palette: Palette, text_percent: int = 100) -> str:
    """Return the style sheet.

    Args:
        palette: Colours.
        text_percent: Size of all texts, percent of their design.
    """
    values = {name: getattr(palette, name) for name in palette.__slots__}
    colours = {kind.colour.name: kind.colour.text_shade(dark=palette.dark) for kind in LOAD_KINDS.values()}
    return _SHEET.substitute(
        values,
        loads="\n".join(f'QLabel[role="{name}"] {{ color: {colour}; }}' for name, colour in colours.items()),
        accent_hover=palette.accent_text,
        shade="dark" if palette.dark else "light",
        icons=ICONS.as_posix(),
        corner=CORNER,
        display=SIZE_DISPLAY_PT * text_percent / 100,
        title=SIZE_TITLE_PT * text_percent / 100,
        lead=SIZE_LEAD_PT * text_percent / 100,
    )
