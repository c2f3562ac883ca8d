"""What people tell each other beside their decisions: messages of curators, and discussions of items."""
