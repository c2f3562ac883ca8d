from .answers import read_answer as read_answer
