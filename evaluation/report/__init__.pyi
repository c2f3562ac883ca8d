from .gathering import sample as sample
from .gathering import script_json as script_json
from .writing import REPORT_FILE as REPORT_FILE
from .writing import WrittenReport as WrittenReport
from .writing import write_report as write_report
