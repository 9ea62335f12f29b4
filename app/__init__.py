"""DomTune's window: what a person sees; it talks to a core process."""
