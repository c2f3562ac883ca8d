"""The workbench: pictures and card of one task after another; the next tasks are prefetched."""
