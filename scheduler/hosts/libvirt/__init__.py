"""A libvirt host: QEMU, LXC, Xen or the test driver, here or elsewhere, by libvirt-python in a process of its own."""
