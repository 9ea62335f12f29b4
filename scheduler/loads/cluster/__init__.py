"""Users on the workers of a Dask cluster; imported only if a plan names a cluster."""
