from .serve import SCRIPT as SCRIPT
from .serve import SWITCH_S as SWITCH_S
from .serve import build_app as build_app
