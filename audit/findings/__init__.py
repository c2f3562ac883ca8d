"""Results of an audit: findings, their report and verdict, page and texts, and a baseline."""
