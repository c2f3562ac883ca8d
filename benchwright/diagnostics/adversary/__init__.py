"""An adversary that learns: probes that see everything but the task, and how large a cue they could have found."""
