from .caption_words import count_words as count_words
from .caption_words import singular as singular
from .caption_words import words_of as words_of
from .counting import PairStatistics as PairStatistics
from .counting import count_pairs as count_pairs
from .drawing import statistics_chart as statistics_chart
