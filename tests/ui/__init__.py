"""Tests that need Qt; they run offscreen."""
