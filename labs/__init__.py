"""Labs: real hypervisors on this computer, to try DomTune on."""
