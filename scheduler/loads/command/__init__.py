"""Command load: any program that prints a rate, with its output read line by line.

DomTune runs the program of the plan only after the user has confirmed it.
"""
