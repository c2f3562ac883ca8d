"""Bridge to Label Studio: it pushes campaigns as projects, and pulls annotations back."""
