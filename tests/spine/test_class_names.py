"""A class has a name that no other class of the house has, private ones too."""

from __future__ import annotations

import ast
from collections import defaultdict

from import_graph import modules, tree_of


def test_class_names_are_unique() -> None:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, path in modules().items():
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(name)
    assert len(found) > 1000
    assert {name: places for name, places in sorted(found.items()) if len(places) > 1} == {}
