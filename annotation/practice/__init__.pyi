from .practice_items import practice_items as practice_items
from .scenes import SCENES as SCENES
from .scenes import BallPlace as BallPlace
from .scenes import balls_in as balls_in
from .scenes import draw_scene as draw_scene
from .scenes import scene_of as scene_of
from .scenes import scene_size as scene_size
