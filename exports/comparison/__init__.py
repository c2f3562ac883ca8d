"""Two releases compared: what differs between them, why, and what it does to the scores of models."""
