"""Tests of the page that follows."""
