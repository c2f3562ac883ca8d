from .errors import BenchwrightError as BenchwrightError
from .pipeline.run import run_recipe as run_recipe
from .pipeline.run import run_steps as run_steps
from .recipe import Recipe as Recipe
from .recipe import load_recipe as load_recipe
from .recipe import step as step
from .record_map import LostRecord as LostRecord
from .records import Choice as Choice
from .records import ImageRecord as ImageRecord
from .records import Item as Item
from .records import ItemImage as ItemImage
from .records import VisualPrompt as VisualPrompt
from .release import Release as Release
from .rooms import Entry as Entry
from .rooms import Room as Room
from .steps import Context as Context
from .steps import Filter as Filter
from .steps import FinalContext as FinalContext
from .steps import FinalStep as FinalStep
from .steps import GatherContext as GatherContext
from .steps import Gathered as Gathered
from .steps import GatherStep as GatherStep
from .steps import MapStep as MapStep
from .steps import Outcome as Outcome
from .steps import WorkspaceView as WorkspaceView

__version__: str
