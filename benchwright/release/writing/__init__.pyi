from .file_changes import FileChanges as FileChanges
from .folder import unfinished as unfinished
