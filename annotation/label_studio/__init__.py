"""Bridge to Label Studio, which pushes campaigns as projects and pulls annotations back."""
