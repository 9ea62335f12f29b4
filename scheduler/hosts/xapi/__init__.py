"""XenServer and XCP-ng hosts: XAPI for state, `xl` in Dom0 for live parameters."""
