"""Study of the number of CPUs that Dom0 should have for itself."""
