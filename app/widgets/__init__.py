"""Shared building blocks of all pages."""
