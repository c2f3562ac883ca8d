from .folder import unfinished as unfinished
from .metadata_removal import MetadataRemoval as MetadataRemoval
