from .item_check import read_questions as read_questions
