from .chart_style import shortened as shortened
from .difficulty import difficulty_plot as difficulty_plot
from .errors import category_shares as category_shares
