from .duplicate_groups import find_duplicates as find_duplicates
from .item_report import report_on_release as report_on_release
from .leak_report import find_leaks as find_leaks
from .measured_folder import measure_folder as measure_folder
