"""Groups that splits tear apart: what the source itself says belongs together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import ClassVar

from ..audited_items import AuditedItems
from ..check import AuditContext, CheckSkipped
from ..finding import Finding

_STATED = "source:"
TRAINING = ("train", "training")


class TornGroups:
    """Items of one stated group (pair, scene) that lie in several splits."""

    name: ClassVar[str] = "torn_groups"
    title: ClassVar[str] = "Groups that splits tear apart"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each group that lies in several splits."""
        del context
        if len(set(audited.splits.values())) < 2:
            raise CheckSkipped("the source states fewer than two splits; give a column with --column split=NAME")
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for each in audited.all_items:
            for key in each.group_keys:
                if key.startswith((_STATED, "pair:", "scene:")):
                    groups[key].append(each.item_id)
        if not groups:
            raise CheckSkipped("no column says which items belong together; give one with --column group=NAME")
        for key, items in groups.items():
            splits = sorted({audited.splits[item] for item in items if item in audited.splits})
            if len(splits) > 1:
                is_training = any(split.lower() in TRAINING for split in splits)
                yield Finding(
                    "group_across_splits",
                    "high" if is_training else "medium",
                    tuple(items),
                    f"The group {key.removeprefix(_STATED)} lies in the splits {', '.join(splits)}.",
                    {"group": key.removeprefix(_STATED), "splits": splits},
                    "certain",
                )
