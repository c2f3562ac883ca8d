"""Models behind endpoints: requests, their rate and cost, replies and failures."""
