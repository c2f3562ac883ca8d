"""The command-line commands of the audit."""
