from .answers import read_answer as read_answer
from .reply_text import MAX_CHARS as MAX_CHARS
from .reply_text import plain as plain
