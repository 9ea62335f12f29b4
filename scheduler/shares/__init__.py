"""From a split to scheduler parameters and back; pure."""
