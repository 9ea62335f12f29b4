"""Adapters: one small protocol, one module or folder per kind of host."""
