"""Tests by how much of the world they need: unit, contract, ui, crash, live; and the data that they share."""

import os

os.environ["DOMTUNE_LANGUAGE"] = "en"  # before the first import of a module whose constants are texts
