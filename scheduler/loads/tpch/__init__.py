"""A load after TPC-H: its data, and its 22 queries with the parameters by which their answers are validated.

Independent texts from the published standard (TPC-H, revision 3); `deviations.py` says where the load differs from it.
"""
