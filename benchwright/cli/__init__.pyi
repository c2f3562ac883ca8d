from .demo import prepare_photographs as prepare_photographs
from .main import commands as commands
