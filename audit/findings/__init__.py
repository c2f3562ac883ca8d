"""Results of an audit: findings, their report and verdict, the page and texts, and a baseline."""
