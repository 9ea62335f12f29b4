"""Wizard texts of studies other than the split study, a package each."""
