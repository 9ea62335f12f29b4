"""Load generators, which run in processes of their own."""
