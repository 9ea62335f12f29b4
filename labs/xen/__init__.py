"""A real Xen with a PV Dom0 and a PV guest that runs PostgreSQL, under QEMU's software emulation."""
