"""Wizard texts of a study of Dom0's CPUs."""
