"""Facts about this machine: its names, locks, storage faults and installed libraries."""
