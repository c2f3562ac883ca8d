"""Layouts with special entries, each read without a mapping; one small file each, with invented content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from dataset_fixtures.pictures import save
from doc_pages import DOCS

from benchwright.errors import DataError
from benchwright.question_files.item_check import read_questions
from benchwright.question_files.layouts.captions import WHICH_CAPTION, WHICH_PICTURE
from benchwright.question_files.layouts.registry import LAYOUTS, layout_table


class Read(NamedTuple):
    """What is to be read: words, options, key as a number or, of an open question, in words, names of pictures."""

    ask: str
    options: tuple[str | int, ...]
    answer: int | str | None
    pictures: tuple[str, ...] = ("1.png",)
    more: Mapping[str, Any] = {}


class Case(NamedTuple):
    """Files by path, as text or as what JSON holds, and the questions in them in order."""

    files: Mapping[str, Any]
    read: list[Read]
    layout: str | None = None


YES_NO = ("Yes", "No")


def _said(*said: str, **beside: Any) -> dict[str, Any]:
    authors = ("human", "gpt")
    turns = [{"from": authors[n % 2], "value": words} for n, words in enumerate(said)]
    return {"id": "d1", "image": "1.png", **beside, "conversations": turns}


CASES: dict[str, Case] = {
    "messages of users and an assistant": Case(
        {"train.jsonl": json.dumps({"messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Which is taller?\nOption: A:the mast; B:the crane;Please output the letter."},
            {"role": "user", "content": [{"type": "image", "image_path": "1.png"}]},
            {"role": "assistant", "content": "B"}]}) + "\n"},
        [Read("Which is taller?", ("the mast", "the crane"), 1, more={"split": "train"})], "dialogues"),
    "turns with places for pictures": Case(
        {"d.json": [_said("<image>\nIs the kiln lit?", "Yes", "What is beside it?", "a cart"),
                    _said("Is <image> older than <image>?", "no", id="d2", image=["1.png", "2.png"])]},
        [Read("Is the kiln lit?", YES_NO, 0, more={"key": "d1-1"}), Read("What is beside it?", (), "a cart", more={"key": "d1-2"}),
         Read("Is <image 1> older than <image 2>?", YES_NO, 1, ("1.png", "2.png"))], "dialogues"),
    "what was said before leads to the question": Case(
        {"d.jsonl": json.dumps({"input": [{"role": "user", "content": "An example?"}, {"role": "assistant", "content": "A"},
                                          {"role": "user", "content": [{"type": "image", "image": "1.png"}, {"type": "text", "text": "Lit?"}]}],
                                "choices": ["lit", "dark"], "target": "B"}) + "\n"},
        [Read("Lit?", ("lit", "dark"), 1)], "dialogues"),
    "a right and a wrong caption": Case(
        {"swap.json": {"0": {"filename": "1.png", "caption": "A pot on a lid.", "negative_caption": "A lid on a pot."}}},
        [Read(WHICH_CAPTION, ("A pot on a lid.", "A lid on a pot."), 0)], "a right and a wrong caption"),
    "a caption and a list of wrong ones in a cell": Case(
        {"atom.csv": ",image_id,caption,hard_negs\n0,1,\"A mug, full.\",\"['A mug, empty.', \"\"The smith's mug.\"\"]\"\n1,2,B,\"['A', 'C']\"\n"},
        [Read(WHICH_CAPTION, ("A mug, full.", "A mug, empty.", "The smith's mug."), 0),
         Read(WHICH_CAPTION, ("B", "A", "C"), 0, ("2.png",))], "a right and a wrong caption"),
    "pairs of a picture and captions": Case(
        {"state.json": [["a/7.png", {"POS": ["mug is full"], "NEG": ["mug is dry"]}], ["b/7.png", {"POS": ["it rains", "it is wet"], "NEG": ["it snows"]}]],
         "a/7.png": 3, "b/7.png": 4},
        [Read(WHICH_CAPTION, ("mug is full", "mug is dry"), 0, ("a/7.png",)), Read(WHICH_CAPTION, ("it rains", "it snows"), 0, ("b/7.png",)),
         Read(WHICH_CAPTION, ("it is wet", "it snows"), 0, ("b/7.png",))], "a right and a wrong caption"),
    "captions without a key": Case(
        {"a.json": [{"image_path": "1.png", "caption_options": ["A mug on a bench", "A mug under a bench"]}],
         "b.json": [[2, "A photo of a hen on the left", "A photo of a hen on the right"]]},
        [Read(WHICH_CAPTION, ("A mug on a bench", "A mug under a bench"), None, more={"lacks_key": True}),
         Read(WHICH_CAPTION, ("A photo of a hen on the left", "A photo of a hen on the right"), None, ("2.png",), {"lacks_key": True})],
        "captions without a key"),
    "lists of a number, a question and its answer": Case(
        {"d.json": [["1.png", "What is on the bench?", "a mug"], ["2.png", "What is on the shelf?", "a mug"]]},
        [Read("What is on the bench?", (), "a mug"), Read("What is on the shelf?", (), "a mug", ("2.png",))]),
    "two captions of two pictures": Case(
        {"e.jsonl": json.dumps({"id": 7, "image_0": "1.png", "image_1": "2.png", "caption_0": "cup in jug", "caption_1": "jug in cup"})},
        [Read(WHICH_CAPTION, ("cup in jug", "jug in cup"), 0, more={"key": "7-image_0", "group": "7"}),
         Read(WHICH_CAPTION, ("cup in jug", "jug in cup"), 1, ("2.png",)),
         Read(f"{WHICH_PICTURE}\ncup in jug", (0, 1), 0, ("1.png", "2.png")),
         Read(f"{WHICH_PICTURE}\njug in cup", (0, 1), 1, ("1.png", "2.png"))], "two captions of two pictures"),
    "claims": Case(
        {"dev.jsonl": "".join(json.dumps({"image": "1.png", "caption": f"The oar is {w}.", "label": n}) + "\n"
                              for n, w in enumerate(("wet", "dry")))},
        [Read("The oar is wet.", YES_NO, 1), Read("The oar is dry.", YES_NO, 0, more={"split": "dev"})], "claims"),
    "claims that are all true": Case(
        {"d.csv": "image,statement,label\n1.png,The oar is wet.,True\n"}, [Read("The oar is wet.", YES_NO, 0)], "claims"),
    "rows without names": Case(
        {"d.json": [["Is the gate shut?", "1.png", "Yes", "yes_no"], ["Who waits by the gate, and why?", "2.png", "No", "yes_no"]]},
        [Read("Is the gate shut?", YES_NO, 0), Read("Who waits by the gate, and why?", YES_NO, 1, ("2.png",))]),
    "rows with names in the first": Case(
        {"d.json": [["picture", "question", "choices", "answer"], ["1.png", "Which?", ["ash", "elm"], "elm"]]},
        [Read("Which?", ("ash", "elm"), 1)]),
    "two questions of two pictures": Case(
        {"d.jsonl": json.dumps({"Index": 3, "Question_0": "Is it day?", "Question_1": "Is it night?", "Image_0": "1.png", "Image_1": "2.png",
                                "Image_0_Question_0": "Yes", "Image_1_Question_0": "No", "Image_0_Question_1": "No", "Image_1_Question_1": "Yes"})},
        [Read("Is it day?", YES_NO, 0), Read("Is it day?", YES_NO, 1, ("2.png",)),
         Read("Is it night?", YES_NO, 1), Read("Is it night?", YES_NO, 0, ("2.png",), {"group": "3"})], "two questions of two pictures"),
    "questions that are the names": Case(
        {"q/1.png.json": {"imageName": "1.png", "questions": {"What eats moss?": {
            "answerTexts": ["snail", "heron"], "correctAnswer": 1, "questionId": "1.png-0"}, "What is A?": {
            "answerTexts": ["leaf", "root"], "correctAnswer": 0, "questionId": "1.png-1"}}}},
        [Read("What eats moss?", ("snail", "heron"), 1), Read("What is A?", ("leaf", "root"), 0)], "questions within an entry"),
    "questions by kind and id": Case(
        {"val.json": [{"globalID": "L1", "questions": {"diagramQuestions": {"D1": {
            "beingAsked": {"processedText": "Oldest layer?"}, "imagePath": "1.png", "correctAnswer": {"processedText": "b"},
            "answerChoices": {"a": {"processedText": "top"}, "b": {"processedText": "base"}}}}}}]},
        [Read("Oldest layer?", ("top", "base"), 1, more={"key": "D1", "split": "val"})], "questions within an entry"),
    "questions in a list under their picture": Case(
        {"d.json": {"dataset": "d", "images": [{"image_id": n, "split": "val", "filename": f"{n}.png", "qa_pairs": [
            {"qa_id": n, "question": "What waits?", "answer": right, "multiple_choices": ["A hen.", "2."], "type": "what", "image_id": n}]} for n, right in ((1, "A mule."), (2, "1."))]}},
        [Read("What waits?", (right, "A hen.", "2."), 0, (f"{n}.png",), {"key": str(n), "split": "val"}) for n, right in ((1, "A mule."), (2, "1."))],
        "a list of questions under a picture"),
    "choices that hold the answer": Case(
        {"d.json": [{"qa_id": 5, "image": "1.png", "question": "What waits?", "answer": "a hen", "multiple_choices": ["a mule", "a hen"]}]},
        [Read("What waits?", ("a mule", "a hen"), 1)]),
    "pairs of question and answer in a cell": Case(
        {"d.csv": 'id,image_id,note,qa_pairs\n7,1,x,"[[""Who reads?"", ""a smith""], [""Where, if at all?"", ""in a hall""]]"\n'},
        [Read("Who reads?", (), "a smith", more={"key": "7-1", "group": "7"}), Read("Where, if at all?", (), "in a hall", more={"key": "7-2"})],
        "a list of questions under a picture"),
    "options as NumPy writes them": Case(
        {"d.csv": "image,question,options,answer\n1.png,Which?,\"['a mug' \"\"a smith's hut\"\"\n 'a hen']\",B\n"}, [Read("Which?", ("a mug", "a smith's hut", "a hen"), 1)]),
    "all options in one text": Case(
        {"d.json": [{"ID": f"s{n}", "image_path": "1.png", "question": "Which sum?", "option": "A. C;B. A;C. 4; D. none; of these", "answer": a}
                    for n, a in enumerate("AD")]},
        [Read("Which sum?", ("C", "A", "4", "none; of these"), n) for n in (0, 3)], "all options in one text"),
    "options in brackets within the question": Case(
        {"d.jsonl": json.dumps({"image_path": "1.png", "question": "Which angle fits? (a) 10 degrees (b) 90 degrees ", "answer": "b"})},
        [Read("Which angle fits?", ("10 degrees", "90 degrees"), 1)], "options within the question"),
    "options in lines within the question": Case(
        {"d.jsonl": json.dumps({"image": "1.png", "question": "Which way?\n\nA. Left, then up\nB. Right\nPlease answer directly with the letter.", "answer": "A"})},
        [Read("Which way?", ("Left, then up", "Right"), 0)], "options within the question"),
    "letters in an open question are none": Case(
        {"d.jsonl": json.dumps({"image": "1.png", "question": "Which of the parts (a) and (b) is red?", "answer": "the upper one"})},
        [Read("Which of the parts (a) and (b) is red?", (), "the upper one")]),
    "letters that a sentence names are no options": Case(
        {"d.jsonl": json.dumps({"image": "1.png", "question": "Which plot, (a) or (b) or (c), is highest?", "answer": "(c)"})},
        [Read("Which plot, (a) or (b) or (c), is highest?", (), "(c)")]),
    "actions with an index": Case(
        {"game.json": [{"image": "1.png", "question": "Get wool", "actions": ["find sheep", "shear"], "answer_index": n,
                        "key_concept": ["near", "far"]} for n in range(2)]},
        [Read("Get wool", ("find sheep", "shear"), 0), Read("Get wool", ("find sheep", "shear"), 1)]),
    "a question within one object, with a response as its key": Case(
        {"Slides/Slides.json": {"meta_data": {"task_instruction": ["Choose."]}, "data": [
            {"sample_id": n, "task_instance": {"context": "{image#1}{image#2}How many sails?", "images_path": ["a.png", "b.png"],
                                               "choice_list": ["4", "2", "3"]}, "response": r} for n, r in enumerate("243")]},
         "Slides/images/a.png": 2, "Slides/images/b.png": 3},
        [Read("<image 1><image 2>How many sails?", ("4", "2", "3"), place, ("Slides/images/a.png", "Slides/images/b.png"))
         for place in (1, 0, 2)], "a question within one object"),
    "responses to questions of another file are replies": Case(
        {"keys.json": [{"id": n, "image": "1.png", "question": "Which?", "options": ["ash", "elm"], "answer": "A"} for n in (1, 2)],
         "llm.json": [{"id": n, "image": "1.png", "question": "Which?", "options": ["ash", "elm"], "response": "B"} for n in (1, 2)]},
        [Read("Which?", ("ash", "elm"), 0), Read("Which?", ("ash", "elm"), 0)]),
    "pictures named in the words": Case(
        {"exam/welsh-questions.json": [
            {"question_text": "(image)[1.png]\n\nWhich gate is shut?", "options": ["(1) the left", "(2) the right", "(3) 1"], "answer_text": "2",
             "background_description": [], "language": "welsh"},
            {"question_text": "Which falls?", "options": ["(1) (image)[2.png]", "(2) (image)[3.png]", "(3) none"], "answer_text": "1",
             "background_description": ["Two stones.", "See (image)[1.png]"], "language": "welsh"},
            {"question_text": "Which rises, if ![a](plots/x.png) holds?", "options": ["(1) ash", "(2) <img src='plots/y.png'>", "(3) elm"],
             "answer_text": "3", "background_description": [], "language": "welsh"}],
         **{f"exam/images-{which}/{n}.png": n + place for place, which in ((0, "welsh"), (5, "latin")) for n in (1, 2, 3)},
         "exam/plots/x.png": 11, "exam/plots/y.png": 12},
        [Read("<image 1>\n\nWhich gate is shut?", ("the left", "the right", "1"), 1, ("exam/images-welsh/1.png",)),
         Read("Two stones.\nSee <image 1>\nWhich falls?", (1, 2, "none"), 0, tuple(f"exam/images-welsh/{n}.png" for n in (1, 2, 3))),
         Read("Which rises, if <image 1> holds?", ("ash", 1, "elm"), 2, ("exam/plots/x.png", "exam/plots/y.png"))],
        "pictures named in the words"),
    "pictures of options in columns": Case(
        {"d.json": [{"image": "1.png", "question": "Which?", "option_A_image": "2.png", "option_B_image": "3.png", "answer": "B"}], "3.png": 3},
        [Read("Which?", (1, 2), 1, ("1.png", "2.png", "3.png"))], "pictures of options in columns"),
    "options that are the pictures after those of the question": Case(
        {"m.json": [{"id": n, "image_list": ["1.png", "2.png", "3.png"][:count], "question": q, "options": o, "answer": "B"} for n, (q, o, count) in enumerate((
            ("<image> Which fits?", ["<image>", "<image>", "none"], 3), ("Which fits?", ["<image>", "none"], 3), ("<image> and <image>?", ["ash", "elm"], 2)))],
         "3.png": 3},
        [Read("<image> Which fits?", (1, 2, "none"), 1, ("1.png", "2.png", "3.png")),
         Read("Which fits?", (2, "none"), 1, ("1.png", "2.png", "3.png")), Read("<image> and <image>?", ("ash", "elm"), 1, ("1.png", "2.png"))]),
    "a right answer and wrong ones": Case(
        {"d.json": [{"image": "1.png", "question": "Which tool?", "correct_answer": "adze", "distractors": ["saw", "awl"]}]},
        [Read("Which tool?", ("adze", "saw", "awl"), 0)], "a right answer and wrong ones"),
    "a right answer that is a letter": Case(
        {"d.json": [{"image": "1.png", "question": "Which letter?", "correct_answer": r, "distractors": w} for r, w in (("B", ["A", "C"]), ("C", ["A", "B"]))]},
        [Read("Which letter?", ("B", "A", "C"), 0), Read("Which letter?", ("C", "A", "B"), 0)]),
    "words with marks": Case(
        {"d.jsonl": json.dumps({"image": "1.png", "text": "Q: What shines?\nUse one word.", "answer": "A: the lamp", "question_id": 0})},
        [Read("What shines?\nUse one word.", (), "the lamp")], "words with marks"),
    "an option that declines": Case(
        {"d.json": [{"image": "1.png", "question": q, "options": ["oak", "Sorry, I can't help with it", "elm"], "answer": a}
                    for q, a in (("Which wood?", "A"), ("Who planted it?", "B"))]},
        [Read("Which wood?", ("oak", "Sorry, I can't help with it", "elm"), 0, more={"refusal": 1}),
         Read("Who planted it?", ("oak", "Sorry, I can't help with it", "elm"), None, more={"refusal": 1, "lacks_key": False})],
        "an option that declines"),
    "keys in a second file": Case(
        {"query/q.json": [{"id": n, "image": "1.png", "query": f"Is it {w}?"} for n, w in ((5, "wet"), (6, "dry"))],
         "annotations.json": [{"id": 6, "type": "state", "truth": "no"}, {"id": 5, "type": "state", "truth": "yes"}]},
        [Read("Is it wet?", YES_NO, 0, more={"labels": {"type": "state"}}), Read("Is it dry?", YES_NO, 1)]),
    "keys by id, of two files of questions": Case(
        {f"{part}_questions.json": [{"question_id": 1, "image": "1.png", "question": f"Is it {part}?"}] for part in ("day", "night")}
        | {"day_answers.json": {"1": "yes", "2": "no"}, "night_answers.json": {"1": "no", "2": "yes"}},
        [Read("Is it day?", YES_NO, 0), Read("Is it night?", YES_NO, 1)]),
    "keys of two files that differ": Case(
        {"q.json": [{"question_id": 1, "image": "1.png", "question": "Is it day?", "choices": ["yes", "no"]}],
         "first.json": {"1": "yes"}, "second.json": {"1": "no"}},
        [Read("Is it day?", ("yes", "no"), None, more={"lacks_key": True})]),
    "splits in a second file": Case(
        {"problems.json": {str(n): {"question": f"Nr {n}?", "choices": ["a kite", "a rope"], "answer": n % 2, "image": "1.png"} for n in (1, 2)},
         "pid_splits.json": {"minitrain": ["2"], "train": ["2"], "test": ["1"]}},
        [Read("Nr 1?", ("a kite", "a rope"), 1, more={"split": "test"}), Read("Nr 2?", ("a kite", "a rope"), 0, more={"split": "train"})]),
    "a folder for each picture": Case(
        {"problems.json": {n: {"question": "Which?", "choices": ["a kite", "a rope"], "answer": int(n) - 3, "image": "image.png", "split": "val",
                               "lecture": "", "solution": "", "hint": ""} for n in ("3", "4")}, "images/val/3/image.png": 3, "images/val/4/image.png": 4},
        [Read("Which?", ("a kite", "a rope"), n, (f"images/val/{n + 3}/image.png",)) for n in range(2)], "a folder for each question's picture"),
    "pictures of COCO by number": Case(
        {"v.json": [{"split": "val", "image_id": 42, "question_id": "x", "question": "Who?", "choices": ["Ann", "Bo"], "correct_choice_idx": 0,
                     "difficult_direct_answer": False}], "val2017/000000000042.png": 2, "train2017/000000000042.png": 3},
        [Read("Who?", ("Ann", "Bo"), 0, ("val2017/000000000042.png",))], "pictures of COCO by number"),
    "pictures by a figure's id": Case(
        {"r.json": {"1": {"figure_id": 1, "query": "Which line falls?", "answer": "the upper"}}}, [Read("Which line falls?", (), "the upper")],
        "pictures named by an id"),
    "answers to numbered words beside questions": Case(
        {"reason.json": {"1": {"figure_id": 1, "query": "Which line falls?", "answer": "the upper"}},
         "describe.json": {"2": {"figure_id": 2, "qids": [4, 9], "answers": ["12", "a tide"]}}},
        [Read("", (), "12", ("2.png",), {"key": "2-1"}), Read("", (), "a tide", ("2.png",), {"key": "2-2"}),
         Read("Which line falls?", (), "the upper")], "pictures named by an id"),
    "figures by number": Case(
        {f"validation{n}/{name}": content for n in (1, 2) for name, content in {
            "qa_pairs.json": {"qa_pairs": [{"question_string": f"Is Plum curve {n} flat?", "answer": n - 1, "image_index": 0, "question_id": 0,
                                            "color1_name": "Plum"}], "total": 1}, "png/0.png": n + 4}.items()},
        [Read(f"Is Plum curve {n} flat?", YES_NO, 2 - n, (f"validation{n}/png/0.png",)) for n in (1, 2)], "figures by number"),
    "figures by number whose answers count": Case(
        {"d.json": {"qa_pairs": [{"question_string": f"How many of {n}?", "answer": n, "image_index": 0} for n in (1, 0)]}, "png/0.png": 5},
        [Read(f"How many of {n}?", (), str(n), ("png/0.png",)) for n in (1, 0)], "figures by number"),
    "pictures by the question's id": Case(
        {"q.csv": "Index,Question,Options,Correct Answer\n1,Open?,(a) Open (b) Shut,(b)\n2,Open?,(a) Open (b) Shut,(a)\n"},
        [Read("Open?", ("Open", "Shut"), 1), Read("Open?", ("Open", "Shut"), 0, ("2.png",))]),
    "one question of several pictures": Case(
        {"q.json": [{"question": "From what does it fall?", "image1": "1.png", "answer1": "tree", "image2": "2.png", "answer2": "roof"}]},
        [Read("From what does it fall?", (), "tree"), Read("From what does it fall?", (), "roof", ("2.png",))],
        "one question of several pictures"),
    "settings whose ids start anew": Case(
        {f"pope_{part}.json": "".join(json.dumps({"question_id": n, "image": "1.png", "text": f"Is there a {w}?", "label": a}) + "\n"
                                      for n, (w, a) in enumerate((("kite", "yes"), (part, "no")))) for part in ("popular", "random")},
        [Read(f"Is there a {w}?", YES_NO, n, more={"task": part, "key": f"pope_{part}.json:{n}"})
         for part in ("popular", "random") for n, w in enumerate(("kite", part))]),
    "questions without keys": Case(
        {"q.json": [{"id": 1, "image": "1.png", "query": "What glows here?"}], "captions.json": [{"id": 1, "image": "1.png", "caption": "A lamp."}]},
        [Read("What glows here?", (), None)]),
    "lines of a question and its key": Case(
        {"existence/1.txt": "Is it lit? Please answer yes or no.\tYes\nIs it wet? Please answer yes or no.\tNo\n", "existence/1.png": 2, "notes.txt": "no\n"},
        [Read("Is it lit? Please answer yes or no.", YES_NO, 0, ("existence/1.png",)), Read("Is it wet? Please answer yes or no.", YES_NO, 1, ("existence/1.png",))]),
    "an id twice in a file, of other questions": Case(
        {"d.json": [{"id": 9, "image": f"{n}.png", "question": "Which word?", "answer": f"word {n}"} for n in (1, 2)]},
        [Read("Which word?", (), "word 1"), Read("Which word?", (), "word 2", ("2.png",), {"key": "9 (2)", "labels": {"stated_id": "9"}})]),
}  # fmt: skip


def _write(folder: Path, files: Mapping[str, Any]) -> None:
    pictures: dict[str, int] = {"1.png": 1, "2.png": 2}
    for name, content in (pictures | dict(files)).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, int):
            save(path, content, 12, 10)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_a_layout_is_read_without_a_mapping(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    _write(tmp_path, case.files)
    with read_questions(tmp_path) as read:
        entries = list(read.index.questions())
    questions = [entry.question for entry in entries]
    found = [
        (q.ask, q.options, q.stated_answer if q.kind == "open" else q.answer, entry.names)
        for q, entry in zip(questions, entries, strict=True)
    ]
    assert found == [(each.ask, each.options, each.answer, each.pictures) for each in case.read]
    for question, each in zip(questions, case.read, strict=True):
        for field, value in each.more.items():
            held = getattr(question, field)
            assert held | value == held if isinstance(value, dict) else held == value, field


def test_every_layout_has_a_case_and_stands_in_the_guide() -> None:
    assert {case.layout for case in CASES.values()} - {None} == {layout.name for layout in LAYOUTS}
    assert layout_table() in (DOCS / "question-layouts.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("row", "reason"), [
    ({"caption": "a mug", "hard_negs": "['a hen', 'a"}, "bad_row"), ({"caption": "a mug", "hard_negs": ["a hen", "a mug"]}, "ambiguous_key"),
    ({"caption": "a mug", "hard_negs": "[]"}, "too_few_options"), ({"question": "W?", "option": "A. a hen;C. a mug", "answer": "A"}, "bad_row"),
    ({"qa_id": 1, "question": "Which?", "multiple_choices": [1, 2], "answer": 0, "type": "which"}, "bad_row"),
    ({"qa_pairs": [["Who?", "a smith"], "a hen"]}, "bad_row"),
])  # fmt: skip
def test_an_entry_that_lacks_a_part_of_its_layout_is_left_out(row: dict[str, Any], reason: str, tmp_path: Path) -> None:
    _write(
        tmp_path, {"d.json": [{"image": "1.png", **row}, {"image": "2.png", "question": "Is it day?", "answer": "yes"}]}
    )
    with read_questions(tmp_path) as read:
        assert read.left_out == {reason: 1}
        assert read.index.counts().items == 1


def test_a_folder_without_questions_says_what_its_files_lack(tmp_path: Path) -> None:
    _write(tmp_path, {"a.csv": "image,note\n1.png,a hen\n"})
    with (
        pytest.raises(DataError, match=r"a\.csv: it lacks a column for the question \(--column question=COLUMN\)"),
        read_questions(tmp_path),
    ):
        pass


def test_captions_are_keyed_by_the_setting_that_their_outcome_names(tmp_path: Path) -> None:
    _write(tmp_path, CASES["captions without a key"].files)
    with read_questions(tmp_path) as read:
        assert {row.reason for row in read.refused()} == {"no_key"}
        assert all("--column answer=first_caption" in row.detail for row in read.refused())
    with read_questions(tmp_path, mapping={"answer": "first_caption"}) as read:
        assert [entry.question.answer for entry in read.index.questions()] == [0, 0]


def test_what_files_were_taken_for_is_told(tmp_path: Path) -> None:
    _write(tmp_path, CASES["keys in a second file"].files | {"about.json": {"a": {"b": 1}, "c": {"b": 2}}})
    with read_questions(tmp_path) as read:
        told = {file.file: (file.taken_as, file.why) for file in read.looked_into}
    assert told["query/q.json"] == ("questions", "")
    assert told["annotations.json"] == ("keys", "joined by id to query/q.json")
    assert told["about.json"][0] is None
    assert "it lacks a column for the question" in told["about.json"][1]


def test_a_column_that_no_file_has_is_refused_and_not_passed_over(tmp_path: Path) -> None:
    rows = [{"ask": "Is it red?", "answer": "yes", "image": "1.png", "kind": "a"}]
    _write(tmp_path, {"a.json": rows, "b.json": [{"other": 1}]})
    with (
        pytest.raises(DataError, match=r"a\.json.*column 'Nope' for task is missing"),
        read_questions(tmp_path, mapping={"question": "ask", "task": "Nope"}),
    ):
        pass
