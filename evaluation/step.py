"""The last step of a recipe: score models on the release that an earlier step froze."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import Field, field_validator, model_validator

from benchwright.canonical import digest, file_digest
from benchwright.errors import BenchwrightError, CheckFailed, RecipeError, StepError
from benchwright.replies.readers import ROBUST
from benchwright.rooms import find
from benchwright.steps import EarlierStage, FinalContext, FinalStep, Stream, WorkspaceView
from benchwright.workspace.atomic import write_json

from .model_settings import ModelSettings, known_protocols, known_reader
from .results.score import MAX_ERRORS, told_apart

if TYPE_CHECKING:
    from benchwright.progress import Progress
    from benchwright.record_map import RecordMap
    from benchwright.release import Release
    from benchwright.workspace.item_cache import ItemCache

    from .results.score import Score


RESULTS, REPLIES = "results", "replies"
_SUMMARY_FILE = "summary.json"
_FROM_FILE = "predictions:"
_WITHOUT_RELEASE = "step {name!r} scores a release, but no earlier step makes one; put 'freeze' before it"


class Evaluate(FinalStep):
    """Write a folder in `results/` for each model and protocol, `results/summary.json` with all their metrics, and a
    report.

    If the release has a human baseline, `results/human.json` has people's figures on the same items. Models at
    different endpoints are asked at the same time; models on this machine or on one server of your own, one after
    another. The workspace's folder `replies/` keeps the replies of servers, from which an interrupted run continues. A
    spent budget ends the run once the other models are scored; the same command then continues. Pace and bounds
    (`concurrency`, `timeout`, `budget...`, `api_key_env`) do not affect results, so changing them repeats no work.

    Args:
        models: Models, each once or with other settings: a name alone as for `evaluate run --model`, such as `random`,
            `"constant:A"` or `"openai:NAME"`, or a mapping with the settings below.
        protocol: Protocols for asking items, as for `evaluate run --protocol`: one, such as `circular`, or a list such
            as `[vanilla, "shuffle:k=3"]`, each of which is scored.
        reader: Reader of letters in replies, as for `evaluate run --reader`.
        split: Name of the split to score; all splits by default.
        limit: Number of items to ask, drawn in proportion to the tasks of each split, as with `evaluate run --limit`;
            all by default. Such results are listed separately from those of all items, without ranks.
        base_url: Address of an OpenAI-compatible endpoint, for `openai` models.
        api_key_env: Name of the environment variable that holds its key; the key itself is never written anywhere.
        max_errors: Share of items without words from the model (errors, replies without text) above which a score is
            unfit: it is marked and not ranked, and the run ends with exit code 1 once everything is written.
        report: Whether to also write the report `results/report.html`.
    """

    name: ClassVar[str] = "evaluate"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "items"

    models: tuple[ModelSettings, ...] = Field(min_length=1)
    protocol: tuple[str, ...] = ("vanilla",)
    reader: str = "robust"
    split: str | None = None
    limit: int | None = Field(None, ge=1)
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    max_errors: float = Field(MAX_ERRORS, ge=0, le=1)
    report: bool = True

    @field_validator("models")
    @classmethod
    def _each_once(cls, models: tuple[ModelSettings, ...]) -> tuple[ModelSettings, ...]:
        ways = [model.asking_settings() for model in models]
        if twice := [model.model for model, how in zip(models, ways, strict=True) if ways.count(how) > 1]:
            raise ValueError(f"model {twice[0]!r} is listed twice; list each model once, or with different settings")
        return models

    @field_validator("protocol", mode="before")
    @classmethod
    def _one_or_several(cls, protocol: Any) -> Any:
        return (protocol,) if isinstance(protocol, str) else protocol

    @field_validator("protocol")
    @classmethod
    def _known(cls, protocols: tuple[str, ...]) -> tuple[str, ...]:
        return known_protocols(protocols)

    @field_validator("reader")
    @classmethod
    def _reads(cls, reader: str) -> str:
        return known_reader(reader)

    @model_validator(mode="after")
    def _check_judges(self) -> Self:
        for model in self.models:
            if model.judge is not None and (model.reader or self.reader) != ROBUST:
                raise ValueError(f"model {model.model!r}: a judge needs the reader {ROBUST!r}")
        return self

    @model_validator(mode="after")
    def _check_samples(self) -> Self:
        from .protocols.names import parse_protocol
        from .protocols.sampled import check_samples

        for model in self.models:
            options = model.options(self.base_url, self.api_key_env)
            for protocol in map(parse_protocol, model.protocol or self.protocol):
                try:
                    check_samples(protocol, protocol.decoding(options))
                except BenchwrightError as error:
                    raise ValueError(f"model {model.model!r}: {error}") from error
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine results, excluding the limits and the pace of requests."""
        parameters = super().parameters() | {"models": [model.deciding_settings() for model in self.models]}
        if self.limit is None:
            del parameters["limit"]  # so that earlier scores from before this setting remain valid
        return parameters

    def weights_hash(self) -> str | None:
        """Return the digest of files of predictions and examples, so that a changed file is scored again."""
        from .protocols.names import parse_protocol

        names = [model.model for model in self.models]
        files = [Path(name.removeprefix(_FROM_FILE)) for name in names if name.startswith(_FROM_FILE)]
        for model in self.models:
            files += [path for protocol in model.protocol or self.protocol for path in parse_protocol(protocol).files()]
        return digest([file_digest(path) if path.is_file() else None for path in files]) if files else None

    def check_place(self, before: Sequence[EarlierStage], *, seed: int) -> None:
        """Refuse settings that cannot be scored: no release, a split that the release will lack, or a model that does
        not exist.

        Keys of endpoints and files of predictions may arrive later; they are checked when their model is asked.

        Raises:
            RecipeError: A setting is wrong; the message names it and the change to make.
        """
        del seed
        makers = [place for place, stage in enumerate(before) if isinstance(stage.step, FinalStep)]
        if not makers:
            raise RecipeError(_WITHOUT_RELEASE.format(name=self.name))
        splits = before[makers[-1]].step.split_names(before[: makers[-1]])  # type: ignore[attr-defined]
        if self.split is not None and splits is not None and self.split not in splits:
            raise RecipeError(
                f"step {self.name!r}: there will be no split {self.split!r}; the splits are {', '.join(sorted(splits))}"
            )
        for model in self.models:
            try:
                find("backends", model.model.partition(":")[0])
            except BenchwrightError as error:
                raise RecipeError(f"step {self.name!r}: model {model.model!r}: {error}") from error

    def finish(self, view: WorkspaceView, ctx: FinalContext) -> Mapping[str, str]:
        """Score every model and return the folder of results, and the report."""
        from benchwright.release import Release
        from benchwright.release.sealing.answer_key import read_answer_key, unsealed
        from benchwright.release.sealing.sealing import key_path
        from benchwright.workspace.item_cache import cache_of
        from benchwright.workspace.workspace import Workspace

        from .prompting.release_files import note_checked
        from .results.human_baseline import HUMAN_FILE, human_figures
        from .results.summary import summary_document, unfit_scores
        from .run import evaluate
        from .several_models import Evaluation, evaluate_all, uses_of

        del view
        if "release" not in ctx.artifacts:
            raise StepError(_WITHOUT_RELEASE.format(name=ctx.stage))
        release = Release.open(ctx.workspace / ctx.artifacts["release"])
        if release.manifest.sealed is not None:  # results lie in the workspace, like the key
            key = key_path(ctx.workspace, release.name, release.version)
            release = unsealed(release, read_answer_key(key))
        results, space = ctx.workspace / RESULTS, Workspace(ctx.workspace)
        note_checked(release, space.checked)
        with cache_of(space.cache) as cache:

            def evaluation(model: ModelSettings, protocol: str) -> Evaluation:
                options = model.options(self.base_url, self.api_key_env)

                def score(progress: Progress) -> Score:
                    with ctx.part(f"{model.name or model.model}, {protocol}"):
                        return evaluate(
                            release,
                            model.model,
                            protocol=protocol,
                            reader=model.reader or self.reader,
                            judge=model.judge,
                            split=self.split,
                            limit=self.limit,
                            out=results,
                            log_folder=ctx.workspace / REPLIES,
                            options=options,
                            replace=True,
                            max_errors=self.max_errors,
                            name=model.name,
                            cache=cache,
                            progress=progress,
                            record_map=ctx.record_map,
                        )

                uses = uses_of(model.model, options, protocol=protocol, judge=model.judge)
                return Evaluation(model.model, uses, score)

            scores = evaluate_all(
                [evaluation(model, protocol) for model in self.models for protocol in model.protocol or self.protocol]
            )
            _remove_others(results, {score.folder for score in scores})
            write_json(results / _SUMMARY_FILE, summary_document(told_apart(scores)))
            human = human_figures(release, self.split)
            if human is None:
                (results / HUMAN_FILE).unlink(missing_ok=True)
            else:
                write_json(results / HUMAN_FILE, human.model_dump(mode="json"))
            with ctx.part("report"):
                made = {"results": RESULTS, **self._report(results, release, cache, ctx.record_map)}
            if unfit := unfit_scores(told_apart(scores)):
                raise CheckFailed(
                    f"{'; '.join(unfit)}; the answers are kept: the same command asks the rest again. The step's "
                    "`max_errors` sets the allowed share"
                )
            return made

    def _report(self, results: Path, release: Release, cache: ItemCache, record_map: RecordMap) -> Mapping[str, str]:
        """Write the report after the scores, so that these are not lost if the report fails."""
        from .report.writing import REPORT_FILE, write_report

        (results / REPORT_FILE).unlink(missing_ok=True)
        if not self.report:
            return {}
        write_report(results, release, cache=cache, record_map=record_map)
        return {"report": f"{RESULTS}/{REPORT_FILE}"}


def _remove_others(results: Path, folders: set[str]) -> None:
    """Remove scores that the recipe no longer requests; the servers' replies remain in `replies/`."""
    for score in sorted(results.glob("*/score.json")):
        if score.parent.name not in folders:
            shutil.rmtree(score.parent)
