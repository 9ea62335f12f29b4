"""A load after AS3AP's multi-user tests, as OSDB runs them: mixed retrieval (IR) and mixed updates (OLTP).

Independent implementation from the AS3AP chapter (Turbyfill, Orji, Bitton: The Benchmark Handbook, ch. 5) and from
measured properties of OSDB's data; it is not OSDB, and `deviations.py` says where it differs.
"""
