"""What every part of the app uses: its state, its texts, its components."""
