"""XenServer and XCP-ng: what XAPI knows and keeps; live scheduler parameters go through `xl` in Dom0."""
