from .fetching import fetch_pictures as fetch_pictures
from .redistribution import Redistribute as Redistribute
from .redistribution import Redistribution as Redistribution
from .takedown import take_down as take_down
