"""Brokerage load: ten transactions with the published weights of TPC-E.

It is an independent implementation from published descriptions, neither TPC-E nor DBT-5.
`brokerage_differences.py` lists the differences from TPC-E.
"""
