"""Plans: generators of the trials of a run, without host, clock or file.

A plan yields a `PlannedTrial`. The caller sends the `TrialDone` results of that trial to the generator.
"""
