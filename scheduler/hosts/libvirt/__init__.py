"""libvirt hosts: QEMU, LXC, Xen or the test driver, local or remote.

libvirt-python runs in a process of its own.
"""
