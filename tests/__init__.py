"""Tests by how much of the world they need: unit, contract, ui, crash, live; and the data that they share."""
