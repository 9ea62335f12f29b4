"""Wizard texts of overhead studies: the cost of virtualisation."""
