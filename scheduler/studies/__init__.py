"""Studies: questions that a run can answer, a folder each. Engine, store and `stats` are the same for all."""
