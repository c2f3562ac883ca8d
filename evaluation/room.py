"""Components that the evaluation room provides, by name."""

from __future__ import annotations

from benchwright.rooms import Entry, Room

_HERE = "benchwright.evaluation"
_SPECIALISTS = f"{_HERE}.backends.specialists"

ROOM = Room(
    name="evaluation",
    steps={"evaluate": Entry(f"{_HERE}.step:Evaluate", "Score models on the release frozen by an earlier step.")},
    commands={
        "evaluate run": Entry(f"{_HERE}.cli.scoring:run", "Ask a model every item of a release and score its replies."),
        "evaluate score": Entry(f"{_HERE}.cli.scoring:score", "Score a file of predictions on a release."),
        "evaluate extract": Entry(f"{_HERE}.cli.extract:extract", "Read the answer letters of free replies."),
        "evaluate summary": Entry(f"{_HERE}.cli.results:summary", "Show the scores of several models side by side."),
        "evaluate people": Entry(
            f"{_HERE}.cli.people:people", "Show the figures of people, and of models on the same items."
        ),
        "evaluate protocols": Entry(f"{_HERE}.cli.scoring:protocols", "List the protocols for asking a model."),
        "evaluate published": Entry(
            f"{_HERE}.cli.published:published", "Recount a paper's tables from its published files."
        ),
        "evaluate import": Entry(
            f"{_HERE}.cli.published:import_questions", "Make a release of a benchmark's published questions."
        ),
        "evaluate study": Entry(
            f"{_HERE}.cli.study:study", "Run a paper's study: a model under several conditions, and their effects."
        ),
        "evaluate plan": Entry(
            f"{_HERE}.cli.plan:plan", "Show what makes a score vary, and how many items a width needs."
        ),
        "evaluate compare": Entry(f"{_HERE}.cli.results:compare", "Show which models in a folder of results differ."),
        "evaluate leaderboard": Entry(
            f"{_HERE}.cli.leaderboard:leaderboard", "Rank the systems in a folder of results, on a page."
        ),
        "evaluate suspects": Entry(f"{_HERE}.cli.results:suspects", "Rank items whose key is likely wrong."),
        "evaluate health": Entry(
            f"{_HERE}.cli.health:health",
            "Show whether a benchmark still separates models, and what to do about its items.",
        ),
        "evaluate items": Entry(
            f"{_HERE}.cli.item_response:items",
            "Show items by difficulty and discrimination.",
        ),
        "evaluate subset": Entry(
            f"{_HERE}.cli.item_response:subset", "Draw fewer items that represent all, by other models' replies."
        ),
        "evaluate errors": Entry(f"{_HERE}.cli.errors:errors", "Sample models' errors for annotators to inspect."),
        "evaluate export": Entry(
            f"{_HERE}.cli.export:export", "Write a result as inspect_ai's log or lmms-eval's samples."
        ),
        "evaluate check-reading": Entry(
            f"{_HERE}.cli.check_reading:check_reading",
            "Sample replies for people to read, to measure the reader's error.",
        ),
        "results list": Entry(f"{_HERE}.cli.store:list_runs", "List the runs of a store of results."),
        "results show": Entry(f"{_HERE}.cli.store:show", "Show a run: score and settings."),
        "results rename": Entry(f"{_HERE}.cli.store:rename", "Rename a run."),
        "results remove": Entry(f"{_HERE}.cli.store:remove", "Move a run to the trash of its store."),
        "results merge": Entry(f"{_HERE}.cli.store:merge", "Copy results of any origin into a store."),
        "results export": Entry(f"{_HERE}.cli.store:export", "Write runs as a folder of results."),
        "results board": Entry(
            f"{_HERE}.cli.store:board", "Rank runs across releases, as far as they can be compared."
        ),
        "evaluate report": Entry(f"{_HERE}.cli.report:report", "Write a page with scores, plots and items."),
    },
    checks={"replies": Entry(f"{_HERE}.reply_check:reply_problems", "Each line of the logs of replies.")},
    backends={
        "random": Entry(f"{_HERE}.backends.baselines:random", "Baseline: a letter drawn evenly."),
        "constant": Entry(f"{_HERE}.backends.baselines:constant", "Baseline: always one letter, as in constant:A."),
        "longest": Entry(f"{_HERE}.backends.baselines:longest", "Baseline: the option with the most characters."),
        "text_classifier": Entry(
            f"{_HERE}.backends.text_classifier:text_classifier",
            "Baseline: learns from the words alone, cross-validated on the release.",
        ),
        "edge_continuity": Entry(
            f"{_SPECIALISTS}.edge_continuity:EdgeContinuity", "Specialist for jigsaw: compares seams."
        ),
        "local_features": Entry(
            f"{_SPECIALISTS}.local_features:LocalFeatures",
            "Specialist for visual_correspondence: compares SIFT descriptors.",
        ),
        "luminance": Entry(
            f"{_SPECIALISTS}.luminance:Luminance", "Specialist for relative_reflectance: compares luminance."
        ),
        "perceptual_hash": Entry(
            f"{_SPECIALISTS}.perceptual_hash:PerceptualHash", "Specialist for visual_similarity: compares pHashes."
        ),
        "residual_spectrum": Entry(
            f"{_SPECIALISTS}.residual_spectrum:ResidualSpectrum",
            "Specialist for forensic_detection: finds the picture whose fine noise differs from that of the others.",
        ),
        "sift_matches": Entry(
            f"{_SPECIALISTS}.sift_matches:SiftMatches",
            "Specialist for visual_correspondence and multi_view_reasoning: matches SIFT points.",
        ),
        "autoencoder_error": Entry(
            f"{_SPECIALISTS}.autoencoder_error:AutoencoderError",
            "Specialist for forensic_detection: finds the picture that an autoencoder reproduces worst.",
        ),
        "depth_anything": Entry(
            f"{_SPECIALISTS}.depth_anything:DepthAnything", "Specialist for relative_depth: estimates a map of depth."
        ),
        "dift": Entry(
            f"{_SPECIALISTS}.dift:Dift", "Specialist for correspondence tasks: compares features of a denoiser."
        ),
        "dino": Entry(
            f"{_SPECIALISTS}.dino:Dino", "Specialist for visual_similarity and art_style: compares DINOv2 vectors."
        ),
        "learned_matches": Entry(
            f"{_SPECIALISTS}.learned_matches:LearnedMatches",
            "Specialist for visual_correspondence and multi_view_reasoning: matches points by Efficient LoFTR.",
        ),
        "predictions": Entry(
            f"{_HERE}.backends.prediction_files:predictions", "Answers from a file, as in predictions:FILE.jsonl."
        ),
        "openai": Entry(
            f"{_HERE}.backends.endpoint_models:openai_chat",
            "A model behind any OpenAI-compatible endpoint, as in openai:NAME.",
        ),
        "responses": Entry(
            f"{_HERE}.backends.endpoint_models:responses", "A model in OpenAI's Responses API, as in responses:NAME."
        ),
        "anthropic": Entry(
            f"{_HERE}.backends.endpoint_models:anthropic", "A model in Anthropic's Messages API, as in anthropic:NAME."
        ),
        "gemini": Entry(f"{_HERE}.backends.endpoint_models:gemini", "A model in the Gemini API, as in gemini:NAME."),
        "transformers": Entry(
            f"{_HERE}.backends.local_models:transformers",
            "A local vision-language model, as in transformers:FOLDER or transformers:ORG/NAME@REVISION.",
        ),
        "likelihood": Entry(
            f"{_HERE}.backends.local_models:likelihood",
            "The same, answering with the option that it finds likeliest, as in likelihood:FOLDER.",
        ),
    },
    protocols={
        "vanilla": Entry(f"{_HERE}.protocols.templated:Vanilla", "Ask once, directly."),
        "circular": Entry(
            f"{_HERE}.protocols.repeated:Circular",
            "Every rotation of the options; an item is right if all rotations are.",
        ),
        "shuffle": Entry(f"{_HERE}.protocols.repeated:Shuffle", "k orders of the options, with mean and spread."),
        "forced": Entry(
            f"{_HERE}.protocols.repeated:Forced", "Once more without the option that declines, if it was chosen."
        ),
        "blind": Entry(f"{_HERE}.protocols.pictureless:Blind", "Without any picture."),
        "wrong-image": Entry(f"{_HERE}.protocols.wrong_picture:WrongImage", "With the pictures of another item."),
        "caption": Entry(
            f"{_HERE}.protocols.pictureless:Caption", "With another model's descriptions in place of pictures."
        ),
        "stated-caption": Entry(
            f"{_HERE}.protocols.stated_caption:StatedCaption",
            "With the caption of a pair's picture, or of the other one, which contradicts it.",
        ),
        "marks": Entry(f"{_HERE}.protocols.marks:Marks", "With marks drawn anew in another shape, size or color."),
        "blink": Entry(f"{_HERE}.protocols.papers:Blink", "BLINK's words, disclaimers and tries."),
        "mvp-bench": Entry(
            f"{_HERE}.protocols.papers:MVPBench", "MVP-Bench's words, with or without its commonsense instruction."
        ),
        "ii-bench": Entry(
            f"{_HERE}.protocols.image_implication:IIBench",
            "II-Bench's none, cot, domain, emotion, rhetoric, and one to three examples.",
        ),
        "grounded": Entry(
            f"{_HERE}.protocols.grounded:Grounded",
            "With boxes around the evidence for the answer, for items on which people marked it.",
        ),
        "mm-sap": Entry(
            f"{_HERE}.protocols.repeated:MMSAP", "MM-SAP's five shuffles, each again without the option that declines."
        ),
    },
    metrics={
        "accuracy": Entry(
            f"{_HERE}.metrics.base:accuracy", "Share of asked items answered right, overall and per task."
        ),
        "accuracy_macro": Entry(f"{_HERE}.metrics.base:accuracy_macro", "Unweighted mean of the tasks' accuracies."),
        "accuracy_by": Entry(
            f"{_HERE}.metrics.release.by_label:accuracy_by", "Accuracy by level, category and each attribute."
        ),
        "samples": Entry(f"{_HERE}.metrics.release.samples:samples", "pass@k and the majority vote of several draws."),
        "repetitions": Entry(
            f"{_HERE}.metrics.release.repetitions:repetitions", "Accuracy of each shuffle, and their spread."
        ),
        "readers": Entry(
            f"{_HERE}.metrics.release.readers:readers", "Accuracy by a paper's reader and by ours, on the same replies."
        ),
        "mvp_bench": Entry(
            f"{_HERE}.metrics.release.mvp_bench:mvp_bench", "MVP-Bench's aAcc, qAcc, iAcc, mAcc, pAcc and MCQ scores."
        ),
        "twins": Entry(
            f"{_HERE}.metrics.release.twins:twins", "Share of twins, which differ only in their key, with both right."
        ),
        "mm_sap": Entry(f"{_HERE}.metrics.release.mm_sap:mm_sap", "MM-SAP's scores, answer rates and unknown knowns."),
        "grounding": Entry(
            f"{_HERE}.metrics.release.grounding:grounding", "Overlap of models' boxes with people's marks."
        ),
        "ii_bench": Entry(
            f"{_HERE}.metrics.release.ii_bench:ii_bench", "II-Bench's accuracy, error and miss, by label."
        ),
    },
)
