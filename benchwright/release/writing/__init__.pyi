from .folder import unfinished as unfinished
