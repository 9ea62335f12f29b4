"""Order entry load: the five transactions of a wholesaler, after TPC-C.

It is an independent implementation from the published description, not TPC-C.
`order_entry_differences.py` lists the differences from TPC-C.
"""
