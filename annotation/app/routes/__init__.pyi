from .guidelines import with_pictures as with_pictures
