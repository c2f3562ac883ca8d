from .counting import FunnelStep as FunnelStep
from .counting import count_funnel as count_funnel
from .run_page import write_run_funnel as write_run_funnel
from .thresholds import thresholds_of as thresholds_of
from .thumbnails import partners_in as partners_in
from .writing import PER_REASON as PER_REASON
from .writing import write_funnel as write_funnel
