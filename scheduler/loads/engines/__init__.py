"""Programs that are loads of their own: started, read line by line, ended."""
