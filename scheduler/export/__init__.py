"""Results and configurations for other tools and people."""
