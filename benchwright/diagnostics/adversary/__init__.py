"""A learning adversary: probes that see everything except the task, and the smallest cue they could have found."""
