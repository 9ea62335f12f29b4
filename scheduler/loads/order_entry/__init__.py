"""Order entry: a wholesaler's five transactions, after TPC-C.

Independent implementation from the published description of TPC-C; it is not TPC-C, and `deviations.py` says where it
differs.
"""
