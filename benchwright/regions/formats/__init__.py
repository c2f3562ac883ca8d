"""Readers and writers of other tools' mark files: COCO, LVIS, Pascal VOC and YOLO."""
