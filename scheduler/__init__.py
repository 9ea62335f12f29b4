"""DomTune's core: sweeps, hosts, loads, statistics; no window."""
