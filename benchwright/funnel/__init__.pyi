from .counting import FunnelStep as FunnelStep
from .profile import write_profile as write_profile
from .run_page import write_run_funnel as write_run_funnel
from .thresholds import thresholds_of as thresholds_of
from .writing import write_funnel as write_funnel
