from .request_plans import plan_requests as plan_requests
from .run import open_view as open_view
from .run import run_recipe as run_recipe
from .run import run_steps as run_steps
