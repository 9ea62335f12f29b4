"""Report on paper: the pages of a report as PDF or on a printer."""
