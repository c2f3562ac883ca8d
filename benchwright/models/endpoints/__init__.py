"""Models behind endpoints with the OpenAI chat protocol: requests, their pace and cost, replies and failures."""
