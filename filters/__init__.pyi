from .contamination.report import find_leaks as find_leaks
from .duplicates.report import find_duplicates as find_duplicates
from .measured_folder import measure_folder as measure_folder
