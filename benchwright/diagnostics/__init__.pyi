from .shortcuts.report import find_shortcuts as find_shortcuts
