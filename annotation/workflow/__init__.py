"""Rules, rounds, settlement and queues: the course of a task from its first decision to its last."""
