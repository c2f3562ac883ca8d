"""A facts file of two pictures, for tests."""

from __future__ import annotations

GOOD = """\
format: benchwright-facts
version: 1
images:
  cup.png:
    size_wh: [60, 40]
    background: a table
    subjects:
      - name: cup
        phrase: the cup
        box: [5, 6, 30, 35]
        cut_out:
          inside: [[10, 12]]
          onto: [lake.png]
    unanswerable:
      - name: taste
        why: other_modality
        ask: How does it taste?
        wrong: [Bitter, Sweet]
    implication:
      image_type: photograph
      domain: life
      emotion: positive
      question:
        ask: What does it say?
        right: Rest.
        wrong: [One, Two, Three, Four, Five]
  lake.png:
    size_wh: [50, 70]
    background: a lake
    answerable:
      - {name: shore, ask: What is the shore like, right: Flat, wrong: [Steep, Rocky]}
      - {name: water, ask: What is the water like, right: Calm, wrong: [Rough, Frozen]}
"""
