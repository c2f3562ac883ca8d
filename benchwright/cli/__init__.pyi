from .demo import prepare_photographs as prepare_photographs
from .doctor import Check as Check
from .doctor import examine as examine
from .main import commands as commands
from .main import invoke as invoke
