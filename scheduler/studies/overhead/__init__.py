"""What does it cost? The same queries on two sides: how much slower one is, and which counter goes with that."""
