"""What a page fetches beside itself: pictures, drafts, photographs, guidelines."""
