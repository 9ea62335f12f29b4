"""A reduced brokerage mix: ten transactions of a brokerage, with the published weights of TPC-E's.

Independent implementation from published descriptions; it is neither TPC-E nor DBT-5, and `deviations.py` says where
it differs.
"""
