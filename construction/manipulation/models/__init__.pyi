from .structured_replies import CLOSE as CLOSE
from .structured_replies import OPEN as OPEN
from .structured_replies import fenced as fenced
from .structured_replies import read_as as read_as
from .weights import Device as Device
from .weights import find_weights as find_weights
