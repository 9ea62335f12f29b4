"""Any program that prints a rate: run as a plan says, once somebody has agreed to it, and read line by line."""
