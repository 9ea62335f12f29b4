"""What a run shows while it goes on: documents become arrays, arrays become plots."""
