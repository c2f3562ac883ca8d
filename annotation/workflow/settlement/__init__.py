"""What the decisions on a task come to: rules, criteria, rounds, further votes, regions, and the closing of tasks."""
