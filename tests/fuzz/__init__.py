"""Seeded fuzzers: whatever others print or send, only an error of ours comes out, within 10 s and 1 GB.

`python -m tests.fuzz GROUP FIRST COUNT` runs cases; a case is (target, seed), and the same case is the same for ever
as long as the samples are.
"""
