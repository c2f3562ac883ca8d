"""Rules, rounds, settlement and queues: the course of a task from the first decision to the last."""
