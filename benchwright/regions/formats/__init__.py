"""Marks in files of other tools: COCO, LVIS, Pascal VOC and YOLO, read and written."""
