"""From samples to points, comparisons and a recommendation."""
