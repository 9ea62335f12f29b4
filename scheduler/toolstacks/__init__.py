"""Toolstack grammars: scheduler parameters to commands and back; pure."""
