"""Bridge to Label Studio: campaigns are pushed there as projects, and annotations are pulled from there."""
