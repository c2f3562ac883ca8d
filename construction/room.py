"""The commands, steps and other components that construction registers, by name."""

from __future__ import annotations

from benchwright.rooms import Entry, Room

_HERE = "benchwright.construction"

ROOM = Room(
    name="construction",
    commands={
        "construct readers": Entry(
            f"{_HERE}.cli:readers", "List the readers of source datasets, with the files they need and how to get them."
        ),
        "construct check": Entry(
            f"{_HERE}.cli:check", "Show the content of a source dataset's folder, and its faults."
        ),
        "construct survey": Entry(
            f"{_HERE}.cli:survey",
            "Show which tasks of BLINK and categories of MVP-Bench a folder suffices for, and what others lack.",
        ),
        "construct items": Entry(
            f"{_HERE}.imported.command:items", "Show how a file of questions is read, and which rows cannot be used."
        ),
        "construct emu": Entry(f"{_HERE}.cli:emu", "Make an image folder and a facts file from EMU's source images."),
        "construct outlines": Entry(
            f"{_HERE}.manipulation.outlines.command:outlines",
            "Show the outlines of a facts file on their pictures, and the faults of each.",
        ),
        "release statistics": Entry(
            f"{_HERE}.paper_tables.command:statistics",
            "Count a release's content in the tables of II-Bench, MM-SAP and MVP-Bench that apply to it.",
        ),
    },
    steps={
        "jigsaw": Entry(
            f"{_HERE}.tasks.jigsaw:Jigsaw", "Make items: which of two pieces fills a picture's missing corner?"
        ),
        "visual_correspondence": Entry(
            f"{_HERE}.tasks.visual_correspondence:VisualCorrespondence",
            "Make items: which of four points in a second view is the one marked in the first?",
        ),
        "facts": Entry(
            f"{_HERE}.stated_facts.facts:StatedFacts", "Give images the facts that a facts file states about them."
        ),
        "dataset": Entry(
            f"{_HERE}.datasets.dataset:Dataset", "Bring pictures of a source dataset, with their ground truth."
        ),
        "estimated_depth": Entry(
            f"{_HERE}.estimated.estimated_depth:EstimatedDepth",
            "Estimate which of two points is closer, with a depth model or depth maps; people decide on the items.",
        ),
        "detected_boxes": Entry(
            f"{_HERE}.estimated.detected_boxes:DetectedBoxes",
            "Find objects and their number with a detector; people decide on the items.",
        ),
        "similar_pictures": Entry(
            f"{_HERE}.estimated.similar_pictures:SimilarPictures",
            "Choose with a vision model which of two pictures looks more like a third; people decide on the items.",
        ),
        "object_localization": Entry(
            f"{_HERE}.tasks.object_localization:ObjectLocalization", "Make items: which of two boxes fits a subject?"
        ),
        "spatial_relation": Entry(
            f"{_HERE}.tasks.spatial_relation:SpatialRelation",
            "Make items: is a claim about the relation of two objects true?",
        ),
        "relative_reflectance": Entry(
            f"{_HERE}.tasks.relative_reflectance:RelativeReflectance",
            "Make items: which of two points has the darker surface?",
        ),
        "relative_depth": Entry(
            f"{_HERE}.tasks.relative_depth:RelativeDepth",
            "Make items: which of two points is closer to the camera?",
        ),
        "counting": Entry(
            f"{_HERE}.tasks.counting:Counting",
            "Make items: how many are there?",
        ),
        "semantic_correspondence": Entry(
            f"{_HERE}.tasks.semantic_correspondence:SemanticCorrespondence",
            "Make items: which of four points in another picture is the same part?",
        ),
        "functional_correspondence": Entry(
            f"{_HERE}.tasks.functional_correspondence:FunctionalCorrespondence",
            "Make items: which of four points of another object serves an action like the marked one?",
        ),
        "visual_similarity": Entry(
            f"{_HERE}.tasks.visual_similarity:VisualSimilarity",
            "Make items: which of two pictures looks more like a third?",
        ),
        "art_style": Entry(
            f"{_HERE}.tasks.art_style:ArtStyleTask",
            "Make items: which of two paintings has the style of a third?",
        ),
        "multi_view_reasoning": Entry(
            f"{_HERE}.tasks.multi_view_reasoning:MultiViewReasoning",
            "Make items: did the camera move left or right between two frames?",
        ),
        "pattern_puzzles": Entry(
            f"{_HERE}.truth_tasks.pattern_puzzles:PatternPuzzles",
            "Bring generated puzzles: which pattern is the overlay of two others?",
        ),
        "forensic_detection": Entry(
            f"{_HERE}.tasks.forensic_detection:ForensicDetection",
            "Make items: which of four pictures is a real photograph?",
        ),
        "iq_test": Entry(f"{_HERE}.tasks.iq_test:IqTest", "Make items of puzzles, each with an explanation."),
        "beyond_the_image": Entry(
            f"{_HERE}.tasks.beyond_the_image:BeyondTheImage", "Make items that the picture cannot answer."
        ),
        "basic_vis_qa": Entry(
            f"{_HERE}.self_awareness.basic_vis_qa:BasicVisQa",
            "Make items on what every model should see (MM-SAP), from VQAv2, Visual Genome and COCO.",
        ),
        "know_vis_qa": Entry(
            f"{_HERE}.self_awareness.know_vis_qa:KnowVisQa",
            "Make items that ask for the name of what is shown (MM-SAP), from a table of entities.",
        ),
        "beyond_vis_qa": Entry(
            f"{_HERE}.self_awareness.beyond_vis_qa:BeyondVisQa",
            "Make items that the picture cannot answer (MM-SAP), from templates about objects that boxes name.",
        ),
        "image_implication": Entry(
            f"{_HERE}.tasks.image_implication:ImageImplication",
            "Make items about a picture's type, domain, emotion and implication.",
        ),
        "items": Entry(
            f"{_HERE}.imported.items:ImportedItems", "Make items of the questions of an existing benchmark."
        ),
        "draft_questions": Entry(
            f"{_HERE}.drafting.draft_questions:DraftQuestions",
            "Draft questions about images, with a model or templates, for people to check.",
        ),
        "draft_descriptions": Entry(
            f"{_HERE}.drafting.draft_descriptions:DraftDescriptions",
            "Draft the labels and meaning of images, with a model or from stated facts, for people to check.",
        ),
        "draft_translations": Entry(
            f"{_HERE}.drafting.draft_translations:DraftTranslations",
            "Draft items' texts in another language, with a model; people compare them with the source text.",
        ),
        "written_questions": Entry(
            f"{_HERE}.tasks.written_questions:WrittenQuestionItems",
            "Make items of the questions that people wrote about images.",
        ),
        "background_substitution": Entry(
            f"{_HERE}.tasks.background_substitution:BackgroundSubstitution",
            "Make pairs: a subject in front of its own background and of another, with questions about both.",
        ),
        "ideas": Entry(
            f"{_HERE}.manipulation.ideas.step:Ideas", "Plan how images could be manipulated, in MVP-Bench's ways."
        ),
        "manipulate": Entry(
            f"{_HERE}.manipulation.manipulate:Manipulate",
            "Make manipulated images from ideas: a part replaced, another background, all of the picture altered.",
        ),
        "pair_items": Entry(
            f"{_HERE}.manipulation.pair_items:PairItems", "Make items: questions about natural and manipulated images."
        ),
    },
    item_readers={
        "questions": Entry(
            "benchwright.question_files.items_in_files:items_of_files", "Files of questions: tables and JSON."
        ),
    },
    dataset_readers={
        "hpatches": Entry(
            f"{_HERE}.readers.hpatches:HPatches", "HPatches: pictures of a plane and their homographies."
        ),
        "iiw": Entry(f"{_HERE}.readers.iiw:Iiw", "IIW: which of two points has the darker surface."),
        "diw": Entry(f"{_HERE}.readers.diw:Diw", "DIW: which of two points is closer."),
        "vsr": Entry(f"{_HERE}.readers.vsr:Vsr", "VSR: true or false claims about the relation of two objects."),
        "wild6d": Entry(f"{_HERE}.readers.wild6d:Wild6D", "Wild6D: videos of an object, with the pose of the camera."),
        "tara": Entry(f"{_HERE}.readers.tara:Tara", "TARA: news photographs with time and place."),
        "wikiart": Entry(f"{_HERE}.readers.wikiart:WikiArt", "WikiArt: paintings by style."),
        "lvis": Entry(f"{_HERE}.readers.coco:Lvis", "LVIS: boxes of many kinds of things in pictures of COCO."),
        "coco": Entry(f"{_HERE}.readers.coco:Coco", "COCO: boxes and captions."),
        "tallyqa": Entry(f"{_HERE}.readers.tallyqa:TallyQa", "TallyQA: counting questions."),
        "vqa": Entry(f"{_HERE}.readers.vqa:VqaV2", "VQAv2: questions about pictures of COCO, with ten answers each."),
        "visual_genome": Entry(
            f"{_HERE}.readers.visual_genome:VisualGenome",
            "Visual Genome: questions, things with boxes, and phrases about parts of pictures.",
        ),
        "nights": Entry(f"{_HERE}.readers.nights:Nights", "NIGHTS: which of two pictures looks more like a third."),
        "spair71k": Entry(
            f"{_HERE}.readers.spair71k:Spair71k", "SPair-71k: key points of two pictures that mean the same."
        ),
        "funkpoint": Entry(
            f"{_HERE}.readers.funkpoint:FunKPoint", "FunKPoint: points of things that serve the same function."
        ),
        "folder": Entry(
            f"{_HERE}.readers.plain_folder:PlainFolder", "A folder of pictures with a table, CSV or JSON lines."
        ),
        "found": Entry(
            f"{_HERE}.readers.found:Found", "Whatever a folder brings: datasets, tables, marks, captions, facts."
        ),
    },
    region_helpers={
        "grabcut": Entry(f"{_HERE}.helpers.grabcut:GrabCutSettings", "Cut a subject out by its colors; needs nothing."),
        "sam": Entry(f"{_HERE}.helpers.sam:SamSettings", "Segment Anything by clicks and boxes; needs a checkpoint."),
        "sam_transformers": Entry(
            f"{_HERE}.helpers.sam:SamTransformersSettings", "Segment Anything in transformers; needs a model's folder."
        ),
        "grounding_dino": Entry(
            f"{_HERE}.helpers.detectors:GroundingDinoSettings", "Boxes by words: Grounding DINO; needs its folder."
        ),
        "owlv2": Entry(f"{_HERE}.helpers.detectors:Owlv2Settings", "Boxes by words: OWLv2; needs its folder."),
        "endpoint": Entry(
            f"{_HERE}.helpers.endpoint:EndpointHelperSettings", "Boxes and points by a model behind an endpoint."
        ),
    },
)
