"""All texts of the curator's pages."""

from __future__ import annotations

from benchwright.errors import BenchwrightError

from ...workflow.settlement.rules import parse_rule
from ..languages.language import Texts
from .texts import words_of_code

CODES = Texts(
    "codes",
    {
        "accept": "accepted",
        "reject": "rejected",
        "revise": "to be revised",
        "no_agreement": "no agreement",
        "decided": "decided",
        "begun": "begun",
        "untouched": "untouched",
        "waits": "left to an adjudicator",
        "failed_review": "failed the review",
        "passed": "passed",
        "revised": "revised",
        "dropped": "dropped",
        "waiting": "left to an adjudicator",
        "open": "open",
        "send_back": "sent back",
        "to_writer": "back to its writer",
        "yes": "yes",
        "no": "no",
        "divided": "divided",
        "kept": "kept",
        "to_revise": "to be revised",
    },
)
"""Words for outcomes of tasks and for decisions, without codes of a campaign's own form."""

TEXTS = Texts(
    "curator",
    {
        # Splits
        "all": "All together",
        "day": "Day",
        "kind": "By kind of question",
        "task": "By task",
        "category": "By category",
        "time": "Over time",
        "round": "By round",
        "guidelines": "By version of the guidelines",
        "guidelines_versions_of": "version {versions}",
        "none": "(none)",
        # Charts
        "chart_numbers": "Numbers",
        "chart_save": "Save as SVG",
        # Progress
        "funnel": "What became of the tasks",
        "funnel_why": "Rule: {rule}. What is open yet counts as begun or untouched.",
        "tasks": "Tasks",
        "closed_sure": {
            "by": "tasks",
            "one": (
                "1 task closed because those who decided leave too little doubt to ask again; votes spared: "
                "{spared}. The rule settles it by the votes that it has."
            ),
            "other": (
                "{tasks} tasks closed because those who decided leave too little doubt to ask again; "
                "{spared} votes were "
                "spared. The rule settles them by the votes that they have."
            ),
        },
        "by_day": "Decisions by day",
        "forecast": "When it ends",
        "forecast_wanted": {
            "by": "days",
            "one": (
                "Decisions still wanted: {wanted:,}. On the last day, people at work: {people}; decisions on "
                "it: {a_day:.1f}."
            ),
            "other": "Decisions still wanted: {wanted:,}. In the last {days} days, people at work: {people}; "
            "together they made {a_day:.1f} decisions a day.",
        },
        "forecast_nobody": "Decisions still wanted: {wanted:,}. Nobody has decided anything in the last two weeks, "
        "today left out, so nothing says yet when it ends.",
        "forecast_minutes": {
            "by": "minutes",
            "one": "At their pace that is about a minute of work.",
            "other": "At their pace that is about {minutes} minutes of work.",
        },
        "forecast_hours": "At their pace that is about {hours:.1f} hours of work.",
        "forecast_end": "With these people it ends around **{median}**, between {low} and {high}.",
        "forecast_more": "With two more like them it would end around **{median}**, between {low} and {high}.",
        "forecast_later": "an unforeseeable day",
        "forecast_unknown": "When it ends can be said after two days of work.",
        "forecast_lacking": "People who are still needed, beyond those of the last days, because nobody decides a task "
        "twice: {lacking}.",
        "forecast_why": "The range holds nine of ten outcomes when each person's days, days off among them, are drawn "
        "anew at random (percentile bootstrap). Today is left out. It knows nothing of holidays to come, of people "
        "who leave, or of revised items that come again.",
        "divided": "Where annotators disagree",
        "of_task": "Task",
        "item_id": "Item",
        "who_said": "Who said what",
        "divided_why": "The newest {most} such tasks. Who said what, with their notes.",
        "reckoning": "Reckoning …",
        "rounds": "Round by round",
        "rounds_why": "How many items came to each round, and what became of them there. A revised item comes again.",
        "items": "Items",
        "nth_round": "Round {round}",
        "adjudicated": "What adjudicators decided",
        "adjudicated_why": {
            "by": "cases",
            "one": "1 case; decisions against what most annotators had said: {against}.",
            "other": "{cases} cases; {against} decisions against what most annotators had said.",
        },
        "by_adjudicator": "Decisions by adjudicator",
        "by_said": "Decisions, and what most annotators had said",
        "where_said": "{decision} · annotators: {said}",
        "against": "{times} (against)",
        # Rules
        "rules": "Rules",
        "rule": "Rule",
        "rules_why": "What each rule would make of the decisions so far. Trying one changes nothing. A rule for fewer "
        "annotators is held to the first of them. Of a rule for more, a task counts as settled where it is kept or "
        "dropped whatever the missing decisions say.",
        "no_rule_to_try": "No rule settles the tasks of this campaign: every answer counts.",
        "rule_single": "One annotator decides",
        "rule_both": "Both agree",
        "rule_all": "All {slots} agree",
        "rule_none": "Every answer counts",
        "rule_some": "{need} of {slots} agree",
        "rule_adjudicated": "{rule}, or an adjudicator decides",
        "rule_in_force": "{rule} (in force)",
        "rule_does": {
            "by": "tasks",
            "one": "{rule} is in force and keeps {kept:,} of 1 task.",
            "other": "{rule} is in force and keeps {kept:,} of {tasks:,} tasks.",
        },
        "rule_would": {
            "by": "tasks",
            "one": "{rule} would keep {kept:,} of 1 task.",
            "other": "{rule} would keep {kept:,} of {tasks:,} tasks.",
        },
        "rule_others": "Of the others: {others}.",
        "rule_open": "Open: {open:,}. Further votes that it asks for: {votes:,}.",
        "rule_to_try": "Rule to try",
        "rule_changes": "Items that would come out otherwise than under the rule in force: {count:,}. Shown: {shown}.",
        "rule_changes_none": "No item that both rules settle would come out otherwise than under the rule in force.",
        "fate_change": "{before}; would be {after}",
        "rule_recipe": "How to use this rule",
        "rule_recipe_why": "Set it at the campaign's step in the recipe, which shows the effect once more before you "
        "apply it. Every decision stays and counts, and tasks that lack votes open again.",
        "no_such_rule": "{rule} is none of the rules to try here.",
        "sureness": "Stop asking as soon as the votes are sure enough",
        "sureness_why": "What further_votes would do: each task is gone over vote by vote, in the order in which it "
        "was handed out, and closes once the lower end of the 90 % credible interval of its leading decision "
        "reaches the threshold (Dawid and Skene's model with a prior, estimated from the decisions so far).",
        "sureness_until": "Sure from",
        "sureness_tasks": "Tasks that close early",
        "sureness_spared": "Votes spared",
        "sureness_otherwise": "Come out otherwise",
        "sureness_of": "{count:,} of {compared:,}",
        "all_rules": "All rules",
        "rule_decisions": "Decisions in all",
        "further_votes": "Further votes",
        "rule_changed": "Come out otherwise",
        # Thresholds
        "thresholds": "Thresholds",
        "thresholds_why": "What another threshold of a filter would change, from the values that the last run "
        "measured. Trying one changes nothing.",
        "no_thresholds": "No filter of the last run has a threshold, or nothing has run yet.",
        "threshold": "Threshold",
        "threshold_name": "{step} · {setting} (now {at})",
        "threshold_at": "Try",
        "threshold_no_number": "{text} is no number.",
        "no_such_threshold": "No filter of the last run has the threshold {name}.",
        "trial_away": "No connection: trying again …",
        "threshold_now": "With {at}, as in the recipe: {counts}.",
        "threshold_then": "With {at}: {counts}.",
        "threshold_counts": "{verdict} {count:,}",
        "threshold_changes": "Records of which the filter would say something else: {count:,}. Shown: the {shown} "
        "nearest to the recipe's threshold. What later steps would make of them, the next run tells.",
        "threshold_changes_none": "Nothing would change.",
        "threshold_by_hand": {
            "by": "count",
            "one": "1 that curators decided by hand stays as it is.",
            "other": "{count:,} that curators decided by hand stay as they are.",
        },
        "threshold_change": "{before}; would be {after}",
        "verdict_keep": "kept",
        "verdict_ask": "kept, and people asked",
        "verdict_drop": "dropped",
        "threshold_recipe": "Line for the recipe",
        "threshold_recipe_why": "The next run judges anew by it and measures nothing again.",
        "see_between": "All items with such values",
        # Guidelines
        "guidelines_edit": "Guidelines",
        "guidelines_why": "What annotators of this campaign are told, in Markdown. A saved text is a new version; "
        "annotators see it from their next task on, and each decision is known by the version that it followed.",
        "guidelines_text": "Text",
        "guidelines_hint": "Preview and difference follow while you type. Pictures of this version are written as "
        "![what it shows](picture:0).",
        "guidelines_preview": "As annotators see it",
        "guidelines_difference": "Difference to version {version}",
        "guidelines_same": "Nothing is changed yet.",
        "guidelines_save": "Save as version {version}",
        "guidelines_saved": "Saved as version {version}.",
        "guidelines_stale": "Meanwhile somebody saved version {version}. Nothing of theirs or of yours is lost: your "
        "text stays here, and the difference below is to their version. Take over what you want of it, then save.",
        "guidelines_go_on": "Go on from version {version} with my text",
        "guidelines_elsewhere": "You changed the guidelines in another window too. Both texts are kept.",
        "guidelines_take": "Go on with that text",
        "guidelines_discard": "Discard that text",
        "guidelines_drop": "Begin again from version {version}",
        "guidelines_versions": "Versions",
        "guidelines_version_of": "Version",
        "guidelines_origin": "By",
        "origin_recipe": "the recipe",
        "origin_curator": "a curator",
        # Build
        "build": "Build",
        "build_next": "Next",
        "build_never": "The recipe has not run yet. Run it: it goes as far as it can without people.",
        "build_people": {
            "by": "tasks",
            "one": "People decide: {open:,} task of {campaign} is open. The run goes on when it is decided.",
            "other": "People decide: {open:,} of {tasks:,} tasks of {campaign} are open. The run goes on when "
            "they are decided.",
        },
        "build_round": {
            "by": "items",
            "one": "Round {round} of {campaign} is open, with 1 item.",
            "other": "Round {round} of {campaign} is open, with {items:,} items.",
        },
        "build_adjudicator": {
            "by": "waits",
            "one": "1 case of {campaign} waits for an adjudicator.",
            "other": "{waits:,} cases of {campaign} wait for an adjudicator.",
        },
        "build_go_on": "All decisions are in. Go on with the run.",
        "build_done": "The run is complete.",
        "build_interrupted": "The last run did not come to its end. Go on with it: what it finished is not done again.",
        "build_release": "A release is frozen. Download or publish it on the page Releases.",
        "build_freeze_next": "Freeze a release on the page Releases, or add the step freeze to the recipe.",
        "build_no_recipe": "Which recipe was run last is not known. Start the app with --recipe FILE, and curators "
        "run it from here.",
        "build_recipe_gone": "The recipe {recipe} is not there any more. Start the app with another one.",
        "build_run": "Run the recipe",
        "build_run_on": "Go on with the run",
        "build_funnel": "Write the funnel page",
        "build_freeze": "Freeze a release",
        "build_export": "Export decisions",
        "build_name": "Name of the release",
        "build_version": "Version",
        "build_version_hint": "Such as 1.0; empty for a draft",
        "build_pseudonyms": "Call people by numbers",
        "build_source": "Recipe {recipe}, photographs in {images}",
        "build_steps": "Steps",
        "build_step": "Step",
        "build_state": "State",
        "build_in": "In",
        "build_out": "Out",
        "build_made": "Made",
        "build_why": "Dropped",
        "step_done": "done",
        "step_waits": "waits for people",
        "step_to_come": "to come",
        "build_funnel_head": "Funnel",
        "build_files": "Releases and exports",
        "build_files_none": "There are none yet.",
        "build_place": "They lie in {place}.",
        "build_download": "Download release {name}",
        "build_download_export": "Download export of {at}",
        "build_download_funnel": "Download funnel page of {at}",
        "build_jobs": "What was started here",
        "job_running": "{what}: works since {at}, started by {by}",
        "job_done": "{what}: done, started by {by} {at}",
        "job_failed": "{what}: failed, started by {by} {at}",
        "job_cancelled": "{what}: cancelled by {canceller}, started by {by} {at}",
        "job_output": "Last lines",
        "job_silent": "Nothing yet.",
        "job_cancel": "Cancel",
        "job_stop": "Stop at once",
        "job_cancelling": "It is being interrupted.",
        "job_run": "Run",
        "job_funnel": "Funnel page",
        "job_freeze": "Release",
        "job_likeness": "Embedding items",
        "job_export": "Export",
        "job_publish": "Publishing",
        # Agreement
        "agreement": "Agreement",
        "what": "What is compared",
        "statistic_percent": "Percent agreement",
        "statistic_cohen_kappa": "Cohen's kappa",
        "statistic_fleiss_kappa": "Fleiss' kappa",
        "statistic_krippendorff_alpha": "Krippendorff's alpha",
        "statistic_gwet_ac1": "Gwet's AC1",
        "in_order": "The options have an order",
        "simulated_figures": "The annotators of this campaign are simulated: no person decided anything here.",
        "agreement_why": (
            "Over the decisions so far, on tasks that two or more decided. Bars are 95 % intervals from a bootstrap "
            "over tasks; there is none where fewer than {least} tasks were compared, or where all of them agree alike."
        ),
        "closed_early": {
            "by": "tasks",
            "one": (
                "1 task closed before all its annotators had decided. With the decisions that it lacks, "
                "agreement would hardly be higher and may be lower."
            ),
            "other": (
                "{tasks} tasks closed before all their annotators had decided. With the decisions that they lack, "
                "agreement would hardly be higher and may be lower."
            ),
        },
        "compared": {
            "by": "units",
            "one": "{compared} of 1 task compared",
            "other": "{compared} of {units} tasks compared",
        },
        "shown": "Shown in the plots",
        "votes": "Votes by criterion",
        "votes_why": "How many reviewers say yes to each criterion, and how far they agree on it.",
        "criteria": "Votes",
        "undefined": "undefined",
        "why_undefined": (
            "Undefined means that there is nothing to measure: nobody shares a task, everybody says the same of "
            "everything, or the statistic is for other data (Cohen: two annotators; Fleiss: equally many decisions "
            "on every task)."
        ),
        "raters": "annotators",
        "without": "Without each annotator",
        "without_why": "How far the others agree. Where it rises, the one left out says something else than the rest.",
        "nothing_said": "Nobody has decided anything yet.",
        # Annotators
        "annotators": "Annotators",
        "qualification": "Practice and qualification",
        "practice_offered": "Practice is offered here, and everybody may decide without it.",
        "qualification_why": "Whoever has {mark} practice items right may decide here; the others get the practice.",
        "practice_state": "State",
        "practice_correct": "Right",
        "practice_attempts": "Times practised",
        "practice_when": "When",
        "passed": "has passed",
        "not_passed": "has not passed yet",
        "practised": "has practised",
        "not_tried": "has not practised",
        "waived": "let in by {name}",
        "let_in_whom": "Let in without passing",
        "let_in": "Let in",
        "was_let_in": "{name} may decide here now.",
        "let_in_why": "They may then decide at once, and the audit log says who let them in.",
        "attention": "Attention checks",
        "attention_why": "Attention checks ask for a given option. Whoever misses some decides without reading.",
        "example_head": "Show as an example",
        "example_why": "The guidelines of {campaign} then show it with your sentence, and never to anybody who may "
        "still be asked about it.",
        "example_kind": "What it shows",
        "example_accepted": "What is accepted",
        "example_rejected": "What is rejected",
        "example_words": "Why, in a sentence",
        "example_add": "Show it",
        "example_is": "The guidelines of {campaign} show this as an example: {words}",
        "example_withdraw": "Show it no more",
        "invite_many": "Invite many people by a file",
        "invite_many_why": "A CSV file with the columns name and role (annotator, adjudicator or curator), and perhaps "
        "campaigns, parted by semicolons: those left to some, to which the person is assigned. Whoever has an account "
        "is left as they are; addresses are not read.",
        "invite_file": "CSV file of people",
        "invite_all": "Invite all of them",
        "invited_many": "{new} invited, {known} had an account already. The links are shown for half a day.",
        "invitation_links": "Download the links",
        "annotators_why": "It tells whom to talk to, and changes nothing: the rule alone decides what is accepted.",
        "name": "Name",
        "decisions": "Decisions",
        "on_gold": "Right on gold",
        "with_others": "With the others",
        "regions": "Where things are",
        "regions_why": "Of what annotators marked, on {compared} pictures that several marked, the newest {most} at "
        "most. Intervals come from a bootstrap over pictures.",
        "regions_mean_iou": "Mean overlap (IoU)",
        "regions_share_matched": "Share matched",
        "regions_count_agreement": "Same number",
        "regions_count_alpha": "Alpha of numbers",
        "regions_label_alpha": "Alpha of labels",
        "regions_distance": "Matched points lie {percent:.1f} % of the object's or picture's diagonal apart, on "
        "average.",
        "marks_against": "Marks against what counts",
        "marks_against_why": "On {compared} of {of} pictures that are marked: each annotator's marks beside what they "
        "agreed on, or beside an adjudicator's. Quality is 1 where all is there and equal, and 0 where nothing is; the "
        "worst stand first.",
        "marks_worst": "Single pictures, the worst first:",
        "marks_picture": "Picture",
        "marks_pictures": "Pictures",
        "marks_quality": "Quality",
        "marks_missed": "Missed",
        "marks_extra": "Too many",
        "marks_mislabelled": "Other label",
        "marks_by_adjudicator": "Adjudicated",
        "shared_tasks": {"by": "n", "one": "1 task", "other": "{n} tasks"},
        "with_others_why": "Share of tasks on which each says what most of the others say.",
        "estimated": "Estimated accuracy",
        "alpha_without": "Alpha without",
        "median_s": "Median seconds, of decisions timed",
        "pace": "Pace",
        "fast": "suspiciously fast",
        "usual": "as usual",
        "too_few": "too few to tell",
        "too_fast": "Too fast to look and read",
        "too_fast_why": (
            "“Too fast to look and read” counts decisions that took less time than anybody needs for a glance at each "
            "picture and for skimming the words. One of them proves nothing. Talk to somebody who has many."
        ),
        "not_enough": {
            "by": "n",
            "one": "not enough: 1 shared task, of {least}",
            "other": "not enough: {n} shared tasks, of {least}",
        },
        "estimate": {"by": "n", "one": "{share:.2f} from 1 shared task", "other": "{share:.2f} from {n} shared tasks"},
        "estimate_beside": "{share:.2f} from {n} shared tasks; always the same: {constant:.2f}",
        "doubt_of": "Look at the decisions of {name} before they count: {words}.",
        "doubt_misses_checks": "attention checks were missed",
        "doubt_rushes": "many took less time than anybody needs to look and read",
        "doubt_faster_than_others": "they are far faster than the others",
        "doubt_as_without_looking": "all are the same, for which nobody needs to look",
        "at_work": "At work now",
        "at_work_why": (
            "Who holds a task just now, with the first of those that they hold. Whoever closes the page gives back "
            "what was fetched ahead."
        ),
        "at_work_picture": "Picture",
        "at_work_check": "an attention check",
        "at_work_minutes": "Minutes so far",
        "at_work_today": "Decided today",
        "set_aside": "Votes set aside",
        "set_aside_why": (
            "Votes that are set aside count nowhere. Tasks that lack votes then open again for others, and the "
            "annotator gets no more of this campaign. Nothing is deleted: votes can be taken back."
        ),
        "set_aside_votes": "Votes",
        "set_aside_by": "Set aside by",
        "set_aside_reason": "Why",
        "set_aside_logged": "The audit log keeps it.",
        "set_aside_whom": "Whose votes",
        "set_aside_do": "Set aside",
        "take_back_whom": "Let votes count again",
        "was_set_aside": {
            "by": "count",
            "one": "1 vote of {name} is set aside.",
            "other": "{count} votes of {name} are set aside.",
        },
        "was_taken_back": {
            "by": "count",
            "one": "1 vote of {name} counts again.",
            "other": "{count} votes of {name} count again.",
        },
        "stay_aside": {
            "by": "count",
            "one": "1 stays aside, since somebody else decided in its place or is at the task now.",
            "other": "{count} stay aside, since others decided in their place or are at the tasks now.",
        },
        "care": "With care",
        "care_why": (
            "“With care” is the share of decisions made with care, as a 90 % credible interval, from "
            "what stands in brackets: known answers right, decisions that took long enough to look, decisions with "
            "most of the others. Whoever falls below the campaign's bounds (pause) is paused without your doing; "
            "“Votes set aside” takes that back."
        ),
        "care_attention": "attention",
        "care_gold": "gold",
        "care_pace": "unhurried",
        "care_agreement": "with others",
        "paused_by_bounds": (
            "{name} is paused, and their votes are set aside: {why}. On the page Annotators you can take that back."
        ),
        "alpha_of": {"by": "n", "one": "{alpha:.2f} on 1 task", "other": "{alpha:.2f} on {n} tasks"},
        "seconds_of": "{seconds:.1f} of {n}",
        "confusion": "Likely errors",
        "confusion_why": {
            "by": "n",
            "one": (
                "Estimated by the model of Dawid and Skene: of the tasks whose truth is the row, the share on "
                "which {name} says the column. It rests on 1 task that others decided too."
            ),
            "other": (
                "Estimated by the model of Dawid and Skene: of the tasks whose truth is the row, the share on which "
                "{name} says the column. It rests on {n} tasks that others decided too."
            ),
        },
        "no_confusion": {
            "by": "n",
            "one": "{name} shares 1 task with others. Errors are estimated from {least}.",
            "other": "{name} shares {n} tasks with others. Errors are estimated from {least}.",
        },
        "truth": "Truth",
        "of": "{share:.0%} of {n}",
        # Reasons
        "reasons": "Reasons",
        "reasons_why": "How often each reason was given, and the newest tasks that it was given for.",
        "no_reasons": "No reasons were given yet.",
        "examples": "Examples",
        "item": "Item {item}",
        "picture": "First picture of item {item}",
        # People
        "assigned": "Who decides where",
        "assigned_why": "A campaign is everybody's until you assign some. Whoever is taken off keeps what they said.",
        "everybody": "Everybody",
        "only": "Only those assigned",
        "assigned_to": "Assigned to {campaign}",
        "open_to": "{campaign} is for",
        "save": "Save",
        # Items
        "items_title": "Items",
        "item_title": "Item",
        "search": "Search",
        "search_hint": "Words of questions, options, notes and reasons; file names; or the first digits of an id",
        "filters": "Filters",
        "take_off": "{label}: {value}",
        "any": "Any",
        "of_state": "State",
        "of_campaign": "Campaign",
        "of_reason": "Reason",
        "of_annotator": "Annotator",
        "of_kind": "Task",
        "of_step": "Step that spoke against it",
        "of_stream": "What",
        "option_count": "{words} · {count:,}",
        "measure": "Measure",
        "least": "At least",
        "most": "At most",
        "range_of": "{records:,} have it, from {least:g} to {most:g}",
        "sort": "Order",
        "sort_activity": "Latest decision first",
        "sort_divided": "Most divided first",
        "sort_doubt": "Most doubtful first",
        "sort_measure": "By the measure, least first",
        "sort_measure_most": "By the measure, most first",
        "sort_likeness": "Most alike first",
        "like_file": "Find what looks like a picture",
        "like_why": "Compared by perceptual hash: it finds copies, also resized or recoloured, not the same subject.",
        "like_is": "What looks like a picture, the most alike first",
        "no_hashes": "No step has computed perceptual hashes here; a recipe with `near_duplicates` does.",
        "not_a_picture": "This file cannot be read as a picture: {why}",
        "show_all": "Show everything",
        "found_all": {"by": "total", "one": "1 item or image", "other": "{total:,} items and images"},
        "found": "{total:,} found",
        "found_none": "Nothing fits. Take a filter off, or search for fewer words.",
        "nothing_made": "There is nothing here yet: no recipe has run in this workspace, and no campaign was opened.",
        "reading": "Reading the workspace …",
        "index_failed": "The list cannot be read: {why}",
        "page_of": "Page {page:,} of {pages:,}",
        "previous": "Previous",
        "next": "Next",
        "select_item": "Select {name}",
        "open_item": "Open {name}",
        "select_page": "Select this page",
        "select_none": "Select none",
        "no_question": "(no question)",
        "bits": "{bits:g} of 64 bits differ",
        "decisions_n": {"by": "count", "one": "1 decision", "other": "{count} decisions"},
        # Acts on items
        "selected_n": "{count} selected",
        "select_found": "Select all {total:,} found",
        "select_first": "Select the first {most:,} found",
        "act_on": "What to do with them",
        "act_with": "What to do with it",
        "act_withdraw": "Withdraw: leave it out from the next run on",
        "act_restore": "Restore: reverse what a step said against it",
        "act_undo": "Undo what a curator decided by hand",
        "act_why": "Why",
        "act_why_hint": "In a line; kept with each decision",
        "act_plan": "See what would happen",
        "none_selected": "Select items first.",
        "plan_gone": "This page was out of date. See again what would happen.",
        "would_withdraw": "{count:,} would be withdrawn.",
        "would_restore": "{count:,} would be restored.",
        "would_undo": {
            "by": "count",
            "one": "1 decision made by hand would be undone.",
            "other": "{count:,} decisions made by hand would be undone.",
        },
        "would_not": {"by": "count", "one": "1 stays as it is: {why}.", "other": "{count:,} stay as they are: {why}."},
        "act_after": "The next run takes this in; until then open tasks still go out. It can be undone here.",
        "act_after_undo": "The next run takes this in: the steps' own verdicts count again. It can be decided anew.",
        "do_withdraw": "Withdraw {count:,}",
        "do_restore": "Restore {count:,}",
        "do_undo": "Undo {count:,}",
        "did_withdraw": "{count:,} withdrawn. The next run takes it in.",
        "did_restore": "{count:,} restored. The next run takes it in.",
        "did_undo": "{count:,} undone. The next run takes it in.",
        "undo_this": "Undo this",
        "cancel": "Cancel",
        # One item
        "back_to_items": "Back to the list",
        "no_such_item": "There is no such item or image here; a run may have removed it.",
        "options_of": "Options",
        "of_part": "Part",
        "step": "Step",
        "explanation": "Explanation",
        "versions": "Versions",
        "version_n": "Version {number}",
        "made_by": "made by {step}",
        "revised_by": "edited by {name}, {at}, in {campaign}",
        "before": "Before",
        "after": "Now",
        "part_question": "Question",
        "part_answer": "Right option",
        "part_explanation": "Explanation",
        "said_here": "What people said",
        "nobody_asked": "Nobody was asked about it yet.",
        "task_head": "{campaign} · round {round} · {outcome}",
        "key_is": "right",
        "when": "When",
        "seconds": "Seconds",
        "note": "Note",
        "changed_n": "version {version}",
        "adjudicator": "{name} (adjudicator)",
        "sent_back_n": {
            "by": "times",
            "one": "Sent back to further annotators once.",
            "other": "Sent back to further annotators {times} times.",
        },
        "edits_made": "Edits",
        "comments": "Comments and flags",
        "settled_by": "settled by {name}",
        "steps_said": "What steps said",
        "no_steps": "No step has judged it.",
        "measured": "Measured",
        "evidence": "Evidence",
        "verdict": "Verdict",
        "own_verdict": "{verdict} (by hand; the step itself said: {own})",
        "by_hand_head": "Decided by hand",
        "hand_keep": "restored",
        "hand_drop": "withdrawn",
        "hand_undo": "undone",
        "scores": "Evaluations",
        "releases": "Releases",
        "comes_from": "Where it comes from",
        "source_picture": "Source picture",
        "find_alike": "Find what looks like it",
        "fact_made_by": "Made by",
        "fact_written_by": "Texts written by",
        "fact_evidence": "How it was made",
        "fact_source_uri": "File",
        "fact_dataset": "Dataset",
        "fact_canonical_id": "Id in the dataset",
        "fact_licence": "Licence",
        "fact_author": "Author",
        "fact_retrieved_at": "Retrieved",
        "fact_media_type": "Format",
        "fact_size": "Size in pixels",
        "fact_image": "SHA-256",
        "still_asked": "You may be asked to judge this yourself. Its key, and what others said, stay hidden until you "
        "say that you do not want to.",
        "look": "Show all; I will not judge it",
        "looked": "You have seen the key and what others said, so you are not asked to judge this.",
        "decide_here": "Decide as adjudicator",
        "decide_why": "The annotators of {campaign} differ about it. What you decide counts in their place.",
        "cannot_decide": "Decisions of people are theirs: who decided changes it under “My decisions”. You can "
        "have it asked again, or withdraw the item. Only under a rule with an adjudicator, such as {rule}, can you "
        "decide it yourself.",
        "assign_to": "Ask somebody before all others",
        "assign_whom": "Choose a person",
        "assign_why": "Open tasks about it wait for this person for {days} days, and come before their others. Nothing "
        "is taken from anybody. Whoever skips such a task leaves it to the others.",
        "assign": "Assign",
        "assigned_n": "Tasks assigned to {name}: {count:,}.",
        "reopen_again": "Ask again about what is decided: why",
        "reopen_why": "Each decided task goes to as many further people as its rule takes. What was decided before "
        "stays on record, and counts no longer.",
        "reopen": "Ask again",
        "reopened_n": "Tasks that are asked again: {count:,}.",
        "not_reopened_n": "Not asked again: {count:,}. Why: {why}.",
        "not_assigned_n": "Not assigned: {count:,}. Why: {why}.",
        "take_back": "Take back",
        "accept_task": "Accept",
        "reject_task": "Reject",
        "reopen_task": "Send back to further annotators",
        "confirm_task": "This is final: an adjudicator's decision is not undone. Further decisions need another round.",
        "confirm_reopen": "Further annotators will be asked, as many as before. This cannot be undone.",
        "do_it": "Yes, do it",
        "task_decided": "Decided.",
        "task_reopened": "Sent back.",
        "see_items": "See these items",
        "see_item": "See the item",
        "not_assigned": "This campaign is for others. Ask a curator to assign you, or pick another one.",
    },
)


ITEM_STATES = Texts(
    "item_states",
    {
        "in_review": "In review",
        "waiting": "Waiting for review",
        "accepted": "Accepted",
        "rejected": "Rejected by people",
        "decided": "Answered",
        "kept": "Kept, in no review",
        "dropped": "Dropped by a filter",
        "withdrawn": "Withdrawn by a curator",
        "revised": "Revised",
        "overridden": "Decided by hand",
        "pending": "Waits for the next run",
        "divided": "Annotators differ",
        "flagged": "Flagged",
        "items": "Items",
        "images": "Images",
        "other": "Other",
        "open": "open",
        "gold": "gold",
        "retired": "no longer asked",
        "waits": "left to an adjudicator",
    },
)
"""Words for states and marks of items and images, for outcomes of tasks on an item's page, and for kinds of records."""


def words_for(code: str) -> str:
    """Return the words for a code of a form or an outcome, or the code with spaces if it has no entry."""
    return CODES[code] if code in CODES else " + ".join(words_of_code(part) for part in code.split("+"))


def rule_in_words(rule: str) -> str:
    """Return the words for a rule: `unanimous(2)` becomes "All 2 agree", `answers(3)` "Every answer counts"."""
    try:
        parsed = parse_rule(rule)
    except BenchwrightError:
        return TEXTS["rule_none"]  # such a campaign asks for answers, which no rule settles
    if parsed.slots == 1:
        words = TEXTS["rule_single"]
    elif parsed.need == parsed.slots:
        words = TEXTS["rule_both" if parsed.slots == 2 else "rule_all"].format(slots=parsed.slots)
    else:
        words = TEXTS["rule_some"].format(need=parsed.need, slots=parsed.slots)
    return TEXTS["rule_adjudicated"].format(rule=words) if parsed.is_adjudicated else words
