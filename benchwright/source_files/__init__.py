"""Files of source datasets: folders and archives, rows, lists in JSON, pickles that hold data only."""
