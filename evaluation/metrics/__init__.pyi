from .base import accuracy as accuracy
from .base import accuracy_macro as accuracy_macro
from .base import chance_of as chance_of
from .base import is_right as is_right
