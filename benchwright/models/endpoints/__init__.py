"""Models at endpoints: requests, their rate and cost, replies and failures."""
