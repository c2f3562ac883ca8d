from .base import Edit as Edit
from .diffusion import Diffusion as Diffusion
from .diffusion import Running as Running
from .windows import EditWindow as EditWindow
from .windows import softened as softened
