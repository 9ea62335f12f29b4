"""OSDB load: multi-user tests of AS3AP, mixed retrieval (IR) and updates (OLTP).

It is an independent implementation, not OSDB. Its sources are the AS3AP chapter (Turbyfill, Orji, Bitton: The
Benchmark Handbook, ch. 5) and measured properties of OSDB's data. `osdb_differences.py` lists the differences.
"""
