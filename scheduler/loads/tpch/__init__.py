"""TPC-H load: its data and its 22 queries with validation parameters.

The query texts are independent, from the published standard (TPC-H, revision 3). `tpch_differences.py` lists the
differences from TPC-H.
"""
