"""Read an export with pycocotools. Arguments: folder, names of the splits."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path

from print_items import fingerprint, print_json
from pycocotools.coco import COCO

folder, *splits = sys.argv[1:]
read = {"images": [], "annotations": []}
for split in splits:
    with redirect_stdout(sys.stderr):
        coco = COCO(f"{folder}/{split}.json")
    for image in coco.loadImgs(coco.getImgIds()):
        read["images"].append([image["width"], image["height"], fingerprint(Path(folder, image["file_name"]))])
    for annotation in coco.loadAnns(coco.getAnnIds()):
        category = coco.cats[annotation["category_id"]]
        mask = coco.annToMask(annotation) if annotation["segmentation"] else None
        read["annotations"].append(
            {
                "item_id": annotation["item_id"],
                "category": [category["supercategory"], category["name"]],
                "bbox": annotation["bbox"],
                "keypoints": annotation.get("keypoints"),
                "pixels": None if mask is None else int(mask.sum()),
            }
        )
print_json(read)
