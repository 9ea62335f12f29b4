"""What our users cost beside programs that send the same statements: `python -m tests.bench.loads`."""
