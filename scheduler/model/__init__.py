"""What flows between the parts: frozen values and nothing else."""
