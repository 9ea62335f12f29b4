"""Statistics: points, comparisons of splits and the recommendation from trials."""
