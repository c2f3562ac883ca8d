from .item_report import report_on_release as report_on_release
from .shortcuts.report import find_shortcuts as find_shortcuts
