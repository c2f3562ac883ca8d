"""MVP-Bench's pairs (arXiv 2410.04345, section 4): ideas for manipulations, manipulated images, questions."""
