"""Rules, rounds, settlement, queues: what happens to tasks between the first decision and the last."""
