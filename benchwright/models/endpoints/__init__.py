"""Models behind endpoints: requests, their pace and cost, replies and failures."""
