"""Components that the filters room provides, by name."""

from __future__ import annotations

from benchwright.rooms import Entry, Room

_HERE = "benchwright.filters"

ROOM = Room(
    name="filters",
    steps={
        "exact_duplicates": Entry(
            f"{_HERE}.duplicates.exact_duplicates:ExactDuplicates", "Drop images whose upright pixels equal another's."
        ),
        "near_duplicates": Entry(
            f"{_HERE}.duplicates.near_duplicates:NearDuplicates",
            "Drop copies of a picture that are not equal pixel for pixel; ask about uncertain ones.",
        ),
        "quality": Entry(
            f"{_HERE}.quality.step:Quality", "Drop pictures that are small, blank, blurred, badly lit or compressed."
        ),
        "drawings": Entry(f"{_HERE}.drawings:Drawings", "Drop comics, logos, drawings and pages of text."),
        "safety": Entry(f"{_HERE}.safety:Safety", "Drop pictures that a model of yours considers unsafe."),
        "licences": Entry(
            f"{_HERE}.licences:Licences", "Drop images whose license is not among those you allow."
        ),  # phrase: allowed
        "repeated_options": Entry(
            f"{_HERE}.items.repeated_options:RepeatedOptions", "Drop items that repeat an option."
        ),
        "duplicate_questions": Entry(
            f"{_HERE}.items.duplicate_questions:DuplicateQuestions",
            "Drop questions asked twice.",
        ),
        "question_faults": Entry(
            f"{_HERE}.items.question_faults:QuestionFaults", "Ask about items with faults that a reviewer would find."
        ),
        "language": Entry(f"{_HERE}.language.step:Language", "Ask about items with misspelled or ungrammatical words."),
        "unique_images": Entry(
            f"{_HERE}.items.unique_images:UniqueImages", "Keep each source image in one item of the whole set."
        ),
        "answer_balance": Entry(
            f"{_HERE}.items.answer_balance:AnswerBalance", "Spread right options evenly over all letters."
        ),
        "wording_bias": Entry(
            f"{_HERE}.items.wording_bias:WordingBias", "Ask about items whose key a rule over words alone can pick."
        ),
        "shortcuts": Entry(
            f"{_HERE}.shortcuts.step:Shortcuts", "Ask about items that can be answered without doing their task."
        ),
        "blind_answers": Entry(
            f"{_HERE}.items.blind_answers:BlindAnswers", "Ask about items that models answer right without the picture."
        ),
        "pair_gates": Entry(
            f"{_HERE}.pairs.pair_gates:PairGates",
            "Drop manipulated pairs that changed nothing, too much, or their frame.",
        ),
        "item_safety": Entry(
            f"{_HERE}.safety:ItemSafety", "Drop items with a picture, made or not, that a model considers unsafe."
        ),
        "clip_direction": Entry(
            f"{_HERE}.pairs.clip_direction:ClipDirection",
            "Drop pairs whose pictures do not change as their captions do.",
        ),
        "faces": Entry(
            f"{_HERE}.pairs.faces:Faces", "Ask about pairs in which faces vanished, appeared or changed size."
        ),
        "answer_flip": Entry(
            f"{_HERE}.pairs.answer_flip:AnswerFlip",
            "Drop questions that a model answers alike on both pictures of a pair.",
        ),
        "second_answers": Entry(
            f"{_HERE}.items.second_answers:SecondAnswers",
            "Ask about wrong options that a model calls right as well.",
        ),
        "best_candidate": Entry(
            f"{_HERE}.pairs.best_candidate:BestCandidate",
            "Keep the best candidate of each idea, and only complete pairs.",
        ),
        "leakage": Entry(f"{_HERE}.contamination.leakage:Leakage", "Drop images that another collection holds too."),
        "question_overlap": Entry(
            f"{_HERE}.contamination.question_overlap:QuestionOverlap",
            "Ask about items whose words appear in a corpus of yours.",
        ),
        "text_ratio": Entry(
            f"{_HERE}.text.text_ratio:TextRatio", "Drop images in which text covers too large a share."
        ),
    },
    commands={
        "filter duplicates": Entry(
            f"{_HERE}.cli.duplicates:duplicates", "Find exact and near duplicates in a folder of images."
        ),
        "filter items": Entry(
            f"{_HERE}.cli.items:items", "Look for repeated options and questions, and for keys that words give away."
        ),
        "filter shortcuts": Entry(
            f"{_HERE}.cli.shortcuts:shortcuts", "Find cues by which items can be answered without doing their task."
        ),
        "filter quality": Entry(
            f"{_HERE}.cli.quality:quality", "Measure size, sharpness, light, color and compression of pictures."
        ),
        "filter leakage": Entry(
            f"{_HERE}.cli.contamination:leakage",
            "Check that no picture of a release is in two splits or in another collection.",
        ),
        "filter hashes": Entry(
            f"{_HERE}.cli.contamination:hashes",
            "Write a hash list of a folder, for checks without its pictures.",
        ),
        "filter text-ratio": Entry(f"{_HERE}.cli.text:text_ratio", "Measure what share of each picture text covers."),
    },
    region_helpers={
        "text_boxes": Entry(
            "benchwright.diagnostics.picture_text.boxes_helper:TextBoxesSettings", "Boxes of text by rapidocr."
        ),
    },
)
