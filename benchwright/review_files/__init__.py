"""Files that evaluation and audit hand to people: review tasks, and the findings shown beside them."""
