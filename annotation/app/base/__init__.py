"""What every part of the app stands on: its state, its texts, its components."""
