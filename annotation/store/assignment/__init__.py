"""Assignment of tasks: who may get which task, which task comes next, and the statements that take a slot."""
