from .weights import find_weights as find_weights
