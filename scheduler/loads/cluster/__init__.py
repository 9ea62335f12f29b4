"""Users on the workers of a Dask cluster; nothing here is imported unless a plan names one."""
