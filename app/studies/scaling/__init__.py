"""Wizard texts of scale-up studies: the gain from more vCPUs."""
