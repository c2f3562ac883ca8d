"""Language of questions and options: spelling, grammar, length, and questions that name their answer."""
