"""The workbench: pictures and card of one task after the other, with the next ones fetched ahead."""
