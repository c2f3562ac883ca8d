"""Files of source datasets: folders and archives, rows, JSON lists, data-only pickles."""
