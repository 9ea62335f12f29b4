"""Colours of a report's drawings as attributes.

Qt's SVG renderer knows no CSS variables. The style sheet of the report is the only source. Paper has its light
colours.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple
from xml.etree import ElementTree as ET

_SVG = "{http://www.w3.org/2000/svg}"
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_VARIABLE = re.compile(r"var\((--[\w-]+)\)")
_FONT_SIZE = re.compile(r"(\d+)px")


class _Rule(NamedTuple):
    tag: str
    classes: frozenset[str]
    values: dict[str, str]


class ReportStyles:
    """Style sheet of a report for paper.

    Args:
        css: Text of the report's style sheet.
        family: Font family of texts in drawings.
    """

    def __init__(self, css: str, family: str) -> None:
        self._family = family
        self._root: dict[str, str] = {}
        self._drawing: list[_Rule] = []
        self._classes: dict[frozenset[str], dict[str, str]] = {}
        for selectors, body in _RULE.findall(css.split("@media print", maxsplit=1)[0]):
            values = _declarations(body)
            for selector in map(str.strip, selectors.split(",")):
                if selector == ":root":
                    self._root = self._root or values  # the first one has the light colours
                elif selector.startswith("svg "):
                    tag, *classes = selector.removeprefix("svg ").split(".")
                    self._drawing.append(_Rule(tag, frozenset(classes), values))
                elif selector.startswith(".") and " " not in selector:
                    self._classes.setdefault(frozenset(selector[1:].split(".")), {}).update(values)
        self._drawing.sort(key=lambda rule: len(rule.classes))  # stable: later rules of a weight win

    def colour(self, name: str) -> str:
        """Return a colour of the style sheet, for example `--accent`."""
        return self._root[name]

    def value_of(self, classes: frozenset[str], name: str) -> str:
        """Return a property of the rules for an element outside drawings; empty for none.

        Args:
            classes: Classes of the element.
            name: Name of the property.
        """
        found = ""
        for wanted, values in self._classes.items():
            if wanted <= classes and name in values:
                found = _resolve(values[name], self._root)
        return found

    def apply_to(self, svg: str) -> bytes:
        """Return a drawing whose elements have their colours as attributes.

        Args:
            svg: Drawing with classes of the style sheet.
        """
        root = ET.fromstring(svg)
        self._paint(root, self._root)
        ET.register_namespace("", _SVG.strip("{}"))
        return ET.tostring(root)

    def _paint(self, element: ET.Element, outer: Mapping[str, str]) -> None:
        tag, classes = element.tag.removeprefix(_SVG), frozenset(element.get("class", "").split())
        values: dict[str, str] = {}
        for rule in self._drawing:
            if rule.tag in ("", tag) and rule.classes <= classes:
                values.update(rule.values)
        variables = {**outer, **{name: text for name, text in values.items() if name.startswith("--")}}
        if "font" in values and (size := _FONT_SIZE.search(values.pop("font"))):
            values.setdefault("font-size", f"{size[1]}px")
            element.set("font-family", self._family)
        for name, text in values.items():
            if not name.startswith("--"):
                element.set(name, _resolve(text, variables).removesuffix("px"))
        for child in element:
            self._paint(child, variables)


def _declarations(body: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in body.split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if value}


def _resolve(text: str, variables: Mapping[str, str]) -> str:
    while found := _VARIABLE.search(text):
        text = text.replace(found[0], variables.get(found[1], "none"))
    return text
