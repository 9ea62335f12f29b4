"""Export of results and configurations for other tools and people."""
