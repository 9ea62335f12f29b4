"""DomTune's core: sweeps, hosts, loads and statistics, without a window."""
