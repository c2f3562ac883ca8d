from .weights import Device as Device
from .weights import find_weights as find_weights
