"""Studies: questions that a run can answer, one folder each.

Engine, store and `stats` are the same for all studies.
"""
