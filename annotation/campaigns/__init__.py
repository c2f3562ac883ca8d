"""The kinds of campaigns, one module each with settings, form and verdicts; and their shared opening and results."""
