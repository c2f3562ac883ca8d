"""The outcome of decisions on a task: rules, criteria, rounds, further votes, regions, and the closing of tasks."""
