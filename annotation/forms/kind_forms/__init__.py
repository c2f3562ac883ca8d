"""Forms for the kinds of campaigns, with the questions that they ask."""
