"""The kinds of campaigns, each a module with settings, form and verdicts, and the code for opening and results."""
