"""What an audit finds and says: findings, their report and verdict, page and words, and a baseline."""
