"""Groups divided by splits: items linked by their group keys, as `release splits` finds them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import ClassVar

from benchwright.statistics.components import SplitsOfKeys

from ..check import AuditContext, CheckSkipped
from ..findings.finding import Finding
from ..source.audited_items import AuditedItem, AuditedItems, OpenItem, WordlessItem

_STATED, _IMAGE = "source:", "image:"
TRAINING = ("train", "training")


class DividedGroups:
    """Items of one group (pair, scene, source picture, stated group) that are in several splits."""

    name: ClassVar[str] = "torn_groups"
    title: ClassVar[str] = "Groups divided between splits"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each group whose items are in several splits.

        The check of copies reports pictures that are in several splits; this check covers only items made from one
        picture.
        """
        del context
        if len(set(audited.splits.values())) < 2:
            raise CheckSkipped("the source states fewer than two splits; give a column with --column split=NAME")
        members: defaultdict[str, list[AuditedItem | WordlessItem | OpenItem]] = defaultdict(list)
        for each in audited.all_items:
            for key in each.group_keys:
                members[key].append(each)
        keys = SplitsOfKeys()
        for key, items in members.items():
            if not _is_shown_by_all(key, items):
                for each in items:
                    if each.split is not None:
                        keys.add((key,), each.split)
        if not keys:
            raise CheckSkipped("no column groups the items; name one with --column group=NAME")
        for key, splits in keys.torn().items():
            is_training = any(split.lower() in TRAINING for split in splits)
            group = key.removeprefix(_STATED)
            yield Finding(
                "group_across_splits",
                "high" if is_training else "medium",
                tuple(each.item_id for each in members[key]),
                f"The group {group} lies in the splits {', '.join(splits)}.",
                {"group": group, "splits": list(splits)},
                "certain",
            )


def _is_shown_by_all(key: str, items: Iterable[AuditedItem | WordlessItem | OpenItem]) -> bool:
    """Return whether a key identifies a picture that all of its items show, which the checks of copies report."""
    if not key.startswith(_IMAGE):
        return False
    picture = key.removeprefix(_IMAGE)
    return all(
        not isinstance(each, WordlessItem) and any(image.image_id == picture for image in each.item.images)
        for each in items
    )
