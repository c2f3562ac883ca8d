"""Table 1 and figure 5 of II-Bench, computed from questions with the labels of their pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .labelled_questions import LABELS, ImplicationQuestion


class LabelCounts(NamedTuple):
    """The frequency of a label.

    Args:
        images: Number of pictures with the label.
        questions: Number of questions about such pictures.
        share: Its proportion among all labels of its kind, counted over pictures, 0 to 1; with one label per picture,
            the proportion of pictures.
    """

    images: int
    questions: int
    share: float


class ImplicationStatistics(NamedTuple):
    """Statistics of questions with labeled pictures.

    Args:
        questions: Number of questions.
        images: Number of pictures; equal files count as one.
        splits: Split to numbers of (questions, pictures).
        question_words: Mean number of words of a question.
        option_words: Mean number of words of an option.
        explanation_words: Mean number of words of an explanation, counted once per picture; None without explanations.
        labels: Kind of label to counts of its labels, the most frequent first.
        domains_by_type: (image type, domain) to number of pictures (figure 5).
    """

    questions: int
    images: int
    splits: Mapping[str, tuple[int, int]]
    question_words: float
    option_words: float
    explanation_words: float | None
    labels: Mapping[str, Mapping[str, LabelCounts]]
    domains_by_type: Mapping[tuple[str, str], int]

    def to_json(self) -> dict[str, Any]:
        """Return all statistics as JSON values; proportions are from 0 to 1."""
        by_type: Counter[str] = Counter()
        for (image_type, _), count in self.domains_by_type.items():
            by_type[image_type] += count
        return {
            "questions": self.questions,
            "images": self.images,
            "splits": [
                {"split": split, "questions": questions, "images": images}
                for split, (questions, images) in self.splits.items()
            ],
            "words": {
                "question": self.question_words,
                "option": self.option_words,
                "explanation": self.explanation_words,
            },
            "labels": {
                kind: [{"label": label, **counts._asdict()} for label, counts in labels.items()]
                for kind, labels in self.labels.items()
            },
            "domains_by_type": [
                {"image_type": image_type, "domain": domain, "images": count, "share": count / by_type[image_type]}
                for (image_type, domain), count in self.domains_by_type.items()
            ],
        }


def count_implications(rows: Sequence[ImplicationQuestion]) -> ImplicationStatistics | None:
    """Return the statistics of questions, or None if there are none. A picture's labels are those of its first
    question.

    Words are separated by white space. The paper's average lengths are based on a different, unspecified way of
    counting.
    """
    if not rows:
        return None
    pictures: dict[str, ImplicationQuestion] = {}
    for row in rows:
        pictures.setdefault(row.image, row)
    explanations = [picture.explanation for picture in pictures.values() if picture.explanation]
    return ImplicationStatistics(
        questions=len(rows),
        images=len(pictures),
        splits={
            name: (len(of_split), len({row.image for row in of_split}))
            for name in sorted({row.split for row in rows})
            for of_split in [[row for row in rows if row.split == name]]
        },
        question_words=_mean_words([row.question for row in rows]),
        option_words=_mean_words([option for row in rows for option in row.options]),
        explanation_words=_mean_words(explanations) if explanations else None,
        labels={kind: _counts(kind, rows, list(pictures.values())) for kind in LABELS},
        domains_by_type=_by_type(pictures.values()),
    )


def _mean_words(texts: Sequence[str]) -> float:
    return sum(len(text.split()) for text in texts) / len(texts) if texts else 0.0


def _counts(
    kind: str, rows: Sequence[ImplicationQuestion], pictures: Sequence[ImplicationQuestion]
) -> dict[str, LabelCounts]:
    images, questions = (
        Counter(label for row in some for label in dict.fromkeys(row.labels.get(kind, ()))) for some in (pictures, rows)
    )
    total = images.total()
    ordered = sorted(images.items(), key=lambda row: (-row[1], row[0]))
    return {label: LabelCounts(count, questions[label], count / total) for label, count in ordered}


def _by_type(pictures: Iterable[ImplicationQuestion]) -> dict[tuple[str, str], int]:
    counts = Counter(
        (image_type, domain)
        for picture in pictures
        for image_type in dict.fromkeys(picture.labels.get("image_type", ()))
        for domain in picture.labels.get("domain", ())
    )
    return dict(sorted(counts.items()))
