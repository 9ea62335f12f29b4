"""Wizard in six steps, from a host to a sweep that can be started."""
