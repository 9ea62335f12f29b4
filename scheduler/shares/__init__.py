"""Translation of splits to scheduler parameters and back, without I/O."""
