"""The kinds of campaigns, one module each with settings, form and verdicts, and the code for opening and results."""
