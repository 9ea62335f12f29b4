"""The ratios that are promised, measured: `make bench`. Not part of the tests; wants a quiet computer."""
