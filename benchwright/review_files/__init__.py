"""What evaluation and audit hand to people: files of tasks and the findings shown beside them."""
