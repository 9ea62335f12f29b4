"""Plans: generators that decide which trial comes next. No host, clock or file here.

A plan yields `Trial`s and is sent the `TrialDone` of each.
"""
