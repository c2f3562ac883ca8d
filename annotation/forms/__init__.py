"""What annotators can be shown and can say: forms, kinds of campaigns, contents of tasks. Pure data."""
