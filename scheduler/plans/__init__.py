"""Plans: generators that decide which visit comes next. No host, clock or file here.

A plan yields `Visit`s and is sent the `VisitDone` of each.
"""
