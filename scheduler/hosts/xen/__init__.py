"""A Xen Dom0, here or by ssh, told what to do with `xl` (historic hosts: `xm`)."""
