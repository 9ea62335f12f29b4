"""Do more CPUs help?"""
