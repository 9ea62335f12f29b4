"""Commands of the command line; the only place where all other packages meet."""
