"""The Xen lab: Xen, a PV Dom0 and a PV guest with PostgreSQL, emulated by QEMU."""
