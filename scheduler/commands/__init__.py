"""What each word on the command line does; the only place where concrete parts meet."""
