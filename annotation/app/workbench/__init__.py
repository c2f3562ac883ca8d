"""The workbench: pictures and card of one task after another, with the next ones prefetched."""
