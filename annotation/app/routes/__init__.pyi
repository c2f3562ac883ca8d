from .guidelines import with_pictures as with_pictures
from .regions import MOST_REQUESTS as MOST_REQUESTS
from .regions import region_routes as region_routes
from .tasks import mistakes_in_draft as mistakes_in_draft
