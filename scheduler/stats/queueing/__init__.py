"""The queueing model beside the measurement: a closed network, its fit, and where the two part."""
