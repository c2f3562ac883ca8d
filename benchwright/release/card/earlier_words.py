"""The wording of cards before version 6, with which verification can still compare such cards.

The sections of the card are defined in the current wording. A section of an earlier card has the earlier phrase in
place of each current one.
"""

from __future__ import annotations

# Phrases of cards in released folders, which never change. phrase: allowed
_PHRASES: tuple[tuple[str, str], ...] = (
    (
        "checks that its files agree with each other. To check that they are the frozen ones, add `--expect` with the "
        "release id that the authors published, or `--signed-by` with their key.",
        "tells whether its files agree with each other. That they are the ones that were frozen, it tells with "
        "`--expect` and the release id that the authors published, or with `--signed-by` and their signature.",
    ),
    (", shown with reduced pictures: `", ", whose pictures are reduced here: `"),
    (
        "The data holds its right option unless it is sealed.",
        "Its right option is in the data, where it is not sealed.",
    ),
    ("\n\nApplicants state: ", "\n\nWhoever wants it states: "),
    (
        "Access requires agreement to these terms.\n",
        "This release is given to those who agree to the following.\n",
    ),
    ("holds the citation for programs. For BibTeX:", "holds it for programs. For BibTeX:"),
    (
        " does the same from `pictures_by_address.csv`; it needs only Python.",
        " does the same by `pictures_by_address.csv`; it needs Python alone.",
    ),
    (
        "because their licenses do not permit redistribution; `images` has null in place of their bytes. "
        "`provenance.json` states the address of each, and `image_ids` its SHA-256. This command fetches and checks "
        "them:",
        "because their licences do not permit to pass them on; `images` has null in place of their bytes. "
        "`provenance.json` states where each can be had, and `image_ids` its SHA-256. This gets them and checks them:",
    ),
    (
        "The command puts them next to the folder, where `benchwright evaluate run` and `benchwright release export` "
        "find them. Exports then include them, and must not be passed on.",
        "They are put beside the folder, where `benchwright evaluate run` and `benchwright release export` find them. "
        "What is exported holds them then: it is not to be passed on.",
    ),
    ("the seed and people's answers are withheld, too,", "the seed and what people answered are withheld too,"),
    (
        "Sealing has limits: questions and pictures are public, so a person who sees the answer can write it down. If "
        "pictures or annotations come from a public dataset, answers can be looked up there, and the owner of an "
        "original picture can compare it with its changed copy.",
        "What no seal can hide: questions and pictures are public, so whoever can see the answer can write it down. "
        "Where pictures or annotations come from a public dataset, answers can be looked up there, and whoever has a "
        "picture from before it was changed can compare the two.",
    ),
    (
        "Everything that follows from recipe and pictures, such as the place of a cut-out piece, can be made again "
        "from both; only people's answers are sealed.",
        "Whatever follows from recipe and pictures, such as the place of a piece that was cut out, whoever has both "
        "can make again; only what people answered is sealed.",
    ),
    (
        "The input and output of each step. A step that makes items passes on the records that it did not use.",
        "What went into each step and what came out. A step that makes items passes on what it did not use.",
    ),
    (" Curators reversed ", " Curators looked again and reversed "),
    (
        "This release has no campaign, so nothing shows that a person looked at the items.",
        "No campaign of this release: nothing here says that a person looked at the items.",
    ),
    (": there are no decisions", ": nobody decided anything"),
    ("`agreement.json` holds their agreement.", "`agreement.json` holds how far they agreed."),
    ("How annotators consented: ", "How annotators agreed: "),
    ("**No person decided on ", "**Nobody decided on "),
    (
        "; at most simulated annotators kept them. Scores on these items do not count until people have decided on "
        "them.**",
        ": those who kept them were simulated annotators at most. No score on these items counts before people have "
        "decided on them.**",
    ),
    ("| dataset | license | images | named authors |", "| dataset | licence | images | named authors |"),
    (" of quality 95 with full chroma", " of quality 95, chroma in full"),
    (
        ": their tasks depend on appearance, not on single pixels.",
        ": what people see of them counts in their tasks, and no single pixel.",
    ),
    ("The files from which they were made are lossless.", "The files that they were made of are lossless."),
    (
        " photographs stored on their side (EXIF) were turned upright and are JPEG with the quantization of their "
        "files, at most of quality 95.",
        " photographs that lay on their side (EXIF) were turned upright and are JPEG with the quantisation of their "
        "files, of quality 95 at most.",
    ),
    ("\n\nIn total: ", "\n\nIn sum: "),
    (
        " names each image's file, author, license and address, and `provenance.json` the pictures made from it.",
        " names each image's file, author, licence and address, and `provenance.json` what was made of it.",
    ),
    ("holds pictures as models receive them in evaluation.", "holds pictures as models are sent them in evaluation."),
    (
        "For a picture with drawn marks, `unmarked` has the picture without them (otherwise null), and "
        "`visual_prompts` has the marks as vectors. This code draws them again:",
        "Where marks were drawn, `unmarked` has the picture without them (elsewhere it is null), and "
        "`visual_prompts` has them as vectors. This draws them anew:",
    ),
    ("and its scores here mean little.", "and its scores here say little."),
    ("**Was any preprocessing, cleaning or labeling done?**", "**Was any preprocessing, cleaning or labelling done?**"),
    (
        "**Under which license and terms of use will it be distributed?**",
        "**Under which licence and terms of use will it be distributed?**",
    ),
    (
        "`errata.json` lists the errors that annotators found in earlier versions.",
        "`errata.json` says what people found wrong in earlier versions.",
    ),
    (", derived from ", ", that go back to "),
    (". A dataset is stated for ", ". A dataset is stated of "),
    (" of these, a license for ", " of these, a licence of "),
    ("`agreement.json` states how far they agreed.", "`agreement.json` says how far they agreed."),
    (
        "Unknown: no person looked at the items in a campaign.",
        "No person looked at the items in a campaign, so nobody knows.",
    ),
    (
        "the funnel above shows what each step dropped and made.",
        "the funnel above says what each step dropped and made.",
    ),
    ("No license is stated.", "No licence is stated."),
    ("Unknown: no source image is named.", "No source image is named, so nobody knows."),
    (
        "Authors keep their rights to the source images; a license is stated for ",
        "Source images keep the rights of their authors; a licence is stated of ",
    ),
    ("How the annotators of ", "How the people of "),
    (
        " to items with known answers, and to checks that questions are read,",
        " to items whose answer is known, and to checks that questions are read,",
    ),
    (" were set aside and do not count.", " were set aside, and count nowhere."),
    (
        "Annotators whose votes count, as estimated from these answers, their pace and their agreement with the "
        "others:",
        "Of those whose votes count, estimated from these answers, from pace and from agreement with the others:",
    ),
    ("Outcome of the drafts shown to people:", "What people did with the drafts that they were shown:"),
    (
        "Outcome of the drafts shown to simulated annotators:",
        "What simulated annotators did with the drafts that they were shown:",
    ),
    ("`written_by` states the origin of each.", "`written_by` says it of each."),
    ("; not stated for ", "; not stated of "),
)
"""Phrases in the current wording, each with its counterpart on cards before version 6."""


def in_earlier_words(body: str) -> str:
    """Return the text of a section in the wording of cards before version 6."""
    for now, earlier in _PHRASES:
        body = body.replace(now, earlier)
    return body
