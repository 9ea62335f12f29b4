"""Language of Qt's own texts and numbers: buttons of dialogs, dates, input fields."""

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication


def use_language(app: QApplication, code: str) -> None:
    """Have Qt use a language; English and unknown languages keep Qt's own texts.

    Args:
        app: The application; it owns the translator.
        code: Language code, for example `pt_BR`.
    """
    if code == "en":
        return
    QLocale.setDefault(QLocale(code))
    translator = QTranslator(app)
    if translator.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)
