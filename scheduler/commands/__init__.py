"""Commands of the command line, which connect all other packages."""
