"""What the papers published, as data, and a run's figures beside it: ranks and shares of the best, never heights."""
