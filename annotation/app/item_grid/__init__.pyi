from .grid import GridEvent as GridEvent
from .grid import GridTile as GridTile
from .grid import show_grid as show_grid
