"""Hypervisors to try DomTune on, made on this computer."""
