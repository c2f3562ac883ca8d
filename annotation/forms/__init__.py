"""Forms, kinds of campaigns and contents of tasks: what annotators see and can enter, as pure data."""
