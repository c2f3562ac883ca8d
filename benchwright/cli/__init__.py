"""The command line: thin commands over library functions."""
