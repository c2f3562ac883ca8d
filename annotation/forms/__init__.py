"""Forms, kinds of campaigns and contents of tasks: what annotators see, and what they can enter. Pure data."""
