from .gathering import sample as sample
from .gathering import script_json as script_json
from .packages import missing_packages as missing_packages
from .packages import require_packages as require_packages
from .writing import REPORT_FILE as REPORT_FILE
from .writing import WrittenReport as WrittenReport
from .writing import write_report as write_report
