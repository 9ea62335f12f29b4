"""Xen hosts: a Dom0, local or by ssh, controlled with `xl` (historic hosts: `xm`)."""
