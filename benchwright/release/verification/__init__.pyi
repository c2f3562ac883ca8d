from .claims import AGREES as AGREES
from .contents import check_contents as check_contents
from .subprocess_check import check_contents_apart as check_contents_apart
from .verify import verify_release as verify_release
