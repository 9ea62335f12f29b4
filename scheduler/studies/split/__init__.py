"""Which split of the CPU is best?"""
