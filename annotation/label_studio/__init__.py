"""Bridge to Label Studio: campaigns are pushed as projects, and annotations are pulled back."""
