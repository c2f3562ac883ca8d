from .format.drawn import drawn_pictures as drawn_pictures
from .format.identity import content_id_of as content_id_of
from .format.reader import Release as Release
from .format.rows import ReleasedItem as ReleasedItem
from .verification.verify import verify_release as verify_release
from .writing.writer import write_release as write_release
