"""A learning adversary: probes that see everything but the task, and the smallest cue they could have found."""
