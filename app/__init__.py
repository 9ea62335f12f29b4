"""DomTune's window; it communicates with a core process."""
