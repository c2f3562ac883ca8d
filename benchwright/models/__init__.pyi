from .devices import find_device as find_device
from .devices import free_memory as free_memory
from .picture_vectors import encode_vector as encode_vector
