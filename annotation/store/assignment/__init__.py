"""Assignment of tasks: who may get which task, which comes next, and the statements that take a slot."""
