"""What this machine is and does: its names, locks, faults of its storage, installed libraries."""
