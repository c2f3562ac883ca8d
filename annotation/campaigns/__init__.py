"""The kinds of campaigns, one module each: settings, form, verdicts; and what opening and results have in common."""
