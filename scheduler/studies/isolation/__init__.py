"""Do two guests disturb each other?"""
