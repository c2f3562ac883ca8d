from .difficulty import difficulty_chart as difficulty_chart
from .errors import category_shares as category_shares
