from .comments import LONGEST as LONGEST
from .comments import MOST as MOST
from .comments import add_remark as add_remark
from .examples import Example as Example
from .examples import Examples as Examples
from .external_annotations import HELD_FOR as HELD_FOR
from .external_annotations import answered_by_all as answered_by_all
from .photo_uploads import MOST_UPLOADS as MOST_UPLOADS
