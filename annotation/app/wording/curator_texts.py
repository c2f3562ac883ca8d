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
        "funnel": "Outcomes of the tasks",
        "funnel_why": "Rule: {rule}. Open tasks count as begun or untouched.",
        "tasks": "Tasks",
        "closed_sure": {
            "by": "tasks",
            "one": (
                "1 task closed early because its votes leave too little doubt to ask more annotators; votes "
                "saved: {spared}. The rule settles it with the votes it has."
            ),
            "other": (
                "{tasks} tasks closed early because their votes leave too little doubt to ask more "
                "annotators; votes saved: {spared}. The rule settles them with the votes they have."
            ),
        },
        "by_day": "Decisions by day",
        "forecast": "Expected end",
        "forecast_wanted": {
            "by": "days",
            "one": (
                "Decisions still needed: {wanted:,}. Annotators at work on the last day: {people}; their "
                "decisions: {a_day:.1f}."
            ),
            "other": "Decisions still needed: {wanted:,}. Annotators at work in the last {days} days: {people}; "
            "together they made {a_day:.1f} decisions per day.",
        },
        "forecast_nobody": "Decisions still needed: {wanted:,}. No annotator has decided anything in the last two "
        "weeks (today excluded), so the end cannot be estimated yet.",
        "forecast_minutes": {
            "by": "minutes",
            "one": "At this pace, about a minute of work is left.",
            "other": "At this pace, about {minutes} minutes of work are left.",
        },
        "forecast_hours": "At this pace, about {hours:.1f} hours of work are left.",
        "forecast_end": "With these annotators, the campaign ends around **{median}**, between {low} and {high}.",
        "forecast_more": "With two more like them, it would end around **{median}**, between {low} and {high}.",
        "forecast_later": "an unknown date",
        "forecast_unknown": "The end can be estimated after two days of work.",
        "forecast_lacking": "Annotators needed besides those of the last days, because no annotator decides a task "
        "twice: {lacking}.",
        "forecast_why": "The range covers nine of ten outcomes when each annotator's days, including days off, are "
        "resampled at random (percentile bootstrap). Today is excluded. The estimate cannot take account of future "
        "holidays, of annotators who leave, or of revised items that come back.",
        "divided": "Where annotators disagree",
        "of_task": "Task",
        "item_id": "Item",
        "who_said": "Each annotator's decision",
        "divided_why": "The newest {most} of these tasks, with each annotator's decision and note.",
        "reckoning": "Calculating …",
        "rounds": "Round by round",
        "rounds_why": "The number of items in each round, and their outcomes. A revised item comes back in the next "
        "round.",
        "items": "Items",
        "nth_round": "Round {round}",
        "adjudicated": "Adjudicators' decisions",
        "adjudicated_why": {
            "by": "cases",
            "one": "1 case; decisions against the majority of annotators: {against}.",
            "other": "{cases} cases; decisions against the majority of annotators: {against}.",
        },
        "by_adjudicator": "Decisions by adjudicator",
        "by_said": "Decisions compared with the majority of annotators",
        "where_said": "{decision} · annotators: {said}",
        "against": "{times} (against)",
        # Rules
        "rules": "Rules",
        "rule": "Rule",
        "rules_why": "The effect of each rule on the decisions so far. Trying a rule changes nothing. A rule for fewer "
        "annotators uses the first decisions only. Under a rule for more annotators, a task counts as "
        "settled if no missing decision could change whether it is kept or dropped.",
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
        "rule_others": "Other tasks: {others}.",
        "rule_open": "Open: {open:,}. Further votes needed: {votes:,}.",
        "rule_to_try": "Rule to try",
        "rule_changes": "Items whose outcome would differ from that under the rule in force: {count:,}. Shown: "
        "{shown}.",
        "rule_changes_none": "No item that both rules settle would have a different outcome.",
        "fate_change": "{before}; would be {after}",
        "rule_recipe": "How to use this rule",
        "rule_recipe_why": "Set the rule in the campaign's step of the recipe; the page Recipe shows the effect "
        "again before you apply it. All decisions are kept and count, and tasks that lack votes open again.",
        "no_such_rule": "{rule} is not one of the rules to try here.",
        "sureness": "Stop asking once the votes are certain enough",
        "sureness_why": "The effect of the setting further_votes. Each task is replayed vote by vote, in the order "
        "in which it was handed out, and closes once the lower end of the 90 % credible interval of its leading "
        "decision reaches the threshold (Dawid and Skene's model with a prior, estimated from the decisions so far).",
        "sureness_until": "Threshold",
        "sureness_tasks": "Tasks that close early",
        "sureness_spared": "Votes saved",
        "sureness_otherwise": "Outcome changes",
        "sureness_of": "{count:,} of {compared:,}",
        "all_rules": "All rules",
        "rule_decisions": "Decisions in total",
        "further_votes": "Further votes",
        "rule_changed": "Outcome changes",
        # Thresholds
        "thresholds": "Thresholds",
        "thresholds_why": "The effect of another threshold of a filter, calculated from the values that the last run "
        "measured. Trying a threshold changes nothing.",
        "no_thresholds": "No filter of the last run has a threshold, or the recipe has not run yet.",
        "threshold": "Threshold",
        "threshold_name": "{step} · {setting} (now {at})",
        "threshold_at": "Try",
        "threshold_no_number": "{text} is not a number.",
        "no_such_threshold": "No filter of the last run has the threshold {name}.",
        "trial_away": "No connection: trying again …",
        "threshold_now": "With {at}, as in the recipe: {counts}.",
        "threshold_then": "With {at}: {counts}.",
        "threshold_counts": "{verdict} {count:,}",
        "threshold_changes": "Records whose verdict by the filter would change: {count:,}. Shown: the {shown} "
        "nearest to the recipe's threshold. The next run shows the effect on later steps.",
        "threshold_changes_none": "Nothing would change.",
        "threshold_by_hand": {
            "by": "count",
            "one": "1 record that curators decided by hand stays as it is.",
            "other": "{count:,} records that curators decided by hand stay as they are.",
        },
        "threshold_change": "{before}; would be {after}",
        "verdict_keep": "kept",
        "verdict_ask": "kept, and annotators asked",
        "verdict_drop": "dropped",
        "threshold_recipe": "Line for the recipe",
        "threshold_recipe_why": "The next run applies it to the measured values, without measuring them again.",
        "see_between": "All items with values in this range",
        # Guidelines
        "guidelines_edit": "Guidelines",
        "guidelines_why": "The guidelines for this campaign's annotators, in Markdown. Each saved text is a new "
        "version. Annotators see it from their next task on, and each decision records the version that it followed.",
        "guidelines_text": "Text",
        "guidelines_hint": "The preview and the differences update while you type. Insert pictures of this version "
        "as ![what it shows](picture:0).",
        "guidelines_preview": "As annotators see it",
        "guidelines_difference": "Differences from version {version}",
        "guidelines_same": "No changes yet.",
        "guidelines_save": "Save as version {version}",
        "guidelines_saved": "Saved as version {version}.",
        "guidelines_stale": "Version {version} has been saved in the meantime. Both texts are kept: yours stays "
        "here, and the differences below are from the saved version. Take over what you want from it, then save.",
        "guidelines_go_on": "Continue from version {version} with my text",
        "guidelines_elsewhere": "You changed the guidelines in another window too. Both texts are kept.",
        "guidelines_take": "Continue with that text",
        "guidelines_discard": "Discard that text",
        "guidelines_drop": "Start again from version {version}",
        "guidelines_versions": "Versions",
        "guidelines_version_of": "Version",
        "guidelines_origin": "By",
        "origin_recipe": "the recipe",
        "origin_curator": "a curator",
        # Build
        "build": "Build",
        "build_next": "Next",
        "build_never": "The recipe has not run yet. Run it: it continues until people have to decide.",
        "build_people": {
            "by": "tasks",
            "one": "{open:,} task of {campaign} is waiting for annotators. The run can continue once it is decided.",
            "other": "{open:,} of {tasks:,} tasks of {campaign} are waiting for annotators. The run can continue once "
            "they are decided.",
        },
        "build_round": {
            "by": "items",
            "one": "Round {round} of {campaign} is open, with 1 item.",
            "other": "Round {round} of {campaign} is open, with {items:,} items.",
        },
        "build_adjudicator": {
            "by": "waits",
            "one": "1 case of {campaign} is waiting for an adjudicator.",
            "other": "{waits:,} cases of {campaign} are waiting for an adjudicator.",
        },
        "build_go_on": "All decisions are in. Continue the run.",
        "build_done": "The run is complete.",
        "build_interrupted": "The last run did not finish. Continue it: completed work is not repeated.",
        "build_release": "A release is frozen. Download or publish it on the page Releases.",
        "build_freeze_next": "Freeze a release on the page Releases, or add the step freeze to the recipe.",
        "build_no_recipe": "The app does not know which recipe was run last. Start it with --recipe FILE; curators "
        "can then run the recipe from here.",
        "build_recipe_gone": "The recipe {recipe} no longer exists. Start the app with another one.",
        "build_run": "Run the recipe",
        "build_run_on": "Continue the run",
        "build_funnel": "Write the funnel page",
        "build_freeze": "Freeze a release",
        "build_export": "Export decisions",
        "build_name": "Name of the release",
        "build_version": "Version",
        "build_version_hint": "For example 1.0; leave empty for a draft",
        "build_pseudonyms": "Replace names with numbers",
        "build_source": "Recipe {recipe}, photographs in {images}",
        "build_steps": "Steps",
        "build_step": "Step",
        "build_state": "State",
        "build_in": "In",
        "build_out": "Out",
        "build_made": "Made",
        "build_why": "Dropped",
        "step_done": "done",
        "step_waits": "waiting for people",
        "step_to_come": "to come",
        "build_funnel_head": "Funnel",
        "build_files": "Releases and exports",
        "build_files_none": "None yet.",
        "build_place": "They are in {place}.",
        "build_download": "Download release {name}",
        "build_download_export": "Download export of {at}",
        "build_download_funnel": "Download funnel page of {at}",
        "build_jobs": "Commands started here",
        "job_running": "{what}: running since {at}, started by {by}",
        "job_done": "{what}: done, started by {by} {at}",
        "job_failed": "{what}: failed, started by {by} {at}",
        "job_cancelled": "{what}: canceled by {canceller}, started by {by} {at}",
        "job_output": "Last lines",
        "job_silent": "No output yet.",
        "job_cancel": "Cancel",
        "job_stop": "Stop at once",
        "job_cancelling": "The command is being canceled.",
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
            "Calculated from the decisions so far, on tasks that two or more annotators decided. Bars are 95 "
            "% intervals from a bootstrap over tasks; they are left out if fewer than {least} tasks were "
            "compared, or if agreement is the same on all of them."
        ),
        "closed_early": {
            "by": "tasks",
            "one": (
                "1 task closed before all its annotators had decided. The missing decisions would hardly "
                "raise agreement, and may lower it."
            ),
            "other": (
                "{tasks} tasks closed before all their annotators had decided. The missing decisions would "
                "hardly raise agreement, and may lower it."
            ),
        },
        "compared": {
            "by": "units",
            "one": "{compared} of 1 task compared",
            "other": "{compared} of {units} tasks compared",
        },
        "shown": "Shown in the plots",
        "votes": "Votes by criterion",
        "votes_why": "The number of reviewers who say yes to each criterion, and their agreement on it.",
        "criteria": "Votes",
        "undefined": "undefined",
        "why_undefined": (
            "Undefined means that there is nothing to measure: no two annotators share a task, all decisions "
            "are the same, or the statistic is for other data (Cohen: two annotators; Fleiss: equally many "
            "decisions on every task)."
        ),
        "raters": "annotators",
        "without": "Without each annotator",
        "without_why": "The agreement of the others. If it rises, the annotator left out decides differently from "
        "the rest.",
        "nothing_said": "No decisions yet.",
        # Annotators
        "annotators": "Annotators",
        "qualification": "Practice and qualification",
        "practice_offered": "Practice is optional here: annotators may decide without it.",
        "qualification_why": "Annotators may decide here once they have {mark} practice items right; until then they "
        "get the practice.",
        "practice_state": "State",
        "practice_correct": "Right",
        "practice_attempts": "Times practiced",
        "practice_when": "When",
        "passed": "has passed",
        "not_passed": "has not passed yet",
        "practised": "has practiced",
        "not_tried": "has not practiced",
        "waived": "let in by {name}",
        "let_in_whom": "Let in without passing",
        "let_in": "Let in",
        "was_let_in": "{name} may decide here now.",
        "let_in_why": "The annotator may then decide at once, and the audit log records who let them in.",
        "attention": "Attention checks",
        "attention_why": "Attention checks ask for a given option. An annotator who misses some decides without "
        "reading.",
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
        "invite_many": "Invite people from a file",
        "invite_many_why": "A CSV file with the columns name and role (annotator, adjudicator or curator), and "
        "optionally campaigns, separated by semicolons: campaigns restricted to assigned annotators, to which the "
        "person is assigned. Existing accounts do not change; addresses are not read.",
        "invite_file": "CSV file of people",
        "invite_all": "Invite all of them",
        "invited_many": "Invited: {new}. Already with an account: {known}. The links are shown for half a day.",
        "invitation_links": "Download the links",
        "annotators_why": "These figures show whom to talk to, and change nothing: only the rule decides what is "
        "accepted.",
        "name": "Name",
        "decisions": "Decisions",
        "on_gold": "Right on gold",
        "with_others": "Agreement with the others",
        "regions": "Marked regions",
        "regions_why": "From the marks on {compared} pictures that several annotators marked, at most the newest "
        "{most}. Intervals come from a bootstrap over pictures.",
        "regions_mean_iou": "Mean overlap (IoU)",
        "regions_share_matched": "Share matched",
        "regions_count_agreement": "Same number of marks",
        "regions_count_alpha": "Alpha of counts",
        "regions_label_alpha": "Alpha of labels",
        "regions_distance": "On average, matched points are {percent:.1f} % of the object's or picture's diagonal "
        "apart.",
        "marks_against": "Marks compared with the accepted ones",
        "marks_against_why": "On {compared} of {of} marked pictures: each annotator's marks compared with those that "
        "annotators agreed on, or with an adjudicator's. Quality is 1 if all marks are there and equal, and 0 if "
        "none is; the worst come first.",
        "marks_worst": "Single pictures, the worst first:",
        "marks_picture": "Picture",
        "marks_pictures": "Pictures",
        "marks_quality": "Quality",
        "marks_missed": "Missed",
        "marks_extra": "Too many",
        "marks_mislabelled": "Other label",
        "marks_by_adjudicator": "Adjudicated",
        "shared_tasks": {"by": "n", "one": "1 task", "other": "{n} tasks"},
        "with_others_why": "Share of tasks on which the annotator decides as most of the others do.",
        "estimated": "Estimated accuracy",
        "alpha_without": "Alpha without",
        "median_s": "Median seconds, of decisions timed",
        "pace": "Pace",
        "fast": "suspiciously fast",
        "usual": "as usual",
        "too_few": "too few to tell",
        "too_fast": "Too fast to look and read",
        "too_fast_why": (
            "“Too fast to look and read” counts decisions that took less time than a glance at each picture "
            "and skimming the words take. A single one proves nothing. Talk to annotators who have many."
        ),
        "not_enough": {
            "by": "n",
            "one": "not enough: 1 shared task of the {least} needed",
            "other": "not enough: {n} shared tasks of the {least} needed",
        },
        "estimate": {"by": "n", "one": "{share:.2f} from 1 shared task", "other": "{share:.2f} from {n} shared tasks"},
        "estimate_beside": "{share:.2f} from {n} shared tasks; with one constant answer: {constant:.2f}",
        "doubt_of": "Check the decisions of {name} before they count: {words}.",
        "doubt_misses_checks": "missed attention checks",
        "doubt_rushes": "many decisions were too fast to look and read",
        "doubt_faster_than_others": "the decisions are far faster than the others'",
        "doubt_as_without_looking": "all decisions are the same, which takes no looking",
        "at_work": "At work now",
        "at_work_why": (
            "Annotators who hold tasks now, with the first task of each. When an annotator closes the page, "
            "the tasks fetched ahead are returned."
        ),
        "at_work_picture": "Picture",
        "at_work_check": "an attention check",
        "at_work_minutes": "Minutes so far",
        "at_work_today": "Decided today",
        "set_aside": "Votes set aside",
        "set_aside_why": (
            "Votes that are set aside do not count. Tasks that then lack votes open again for others, and "
            "the annotator gets no more tasks of this campaign. Nothing is deleted: you can let the votes "
            "count again."
        ),
        "set_aside_votes": "Votes",
        "set_aside_by": "Set aside by",
        "set_aside_reason": "Reason",
        "set_aside_logged": "The audit log keeps the reason.",
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
            "one": "1 vote stays set aside, because another annotator has decided in its place or holds the task now.",
            "other": "{count} votes stay set aside, because other annotators have decided in their place or hold the "
            "tasks now.",
        },
        "care": "With care",
        "care_why": (
            "“With care” is the share of decisions made with care, as a 90 % credible interval, estimated "
            "from the figures in brackets: known answers right, decisions that took long enough to look, "
            "decisions that agree with most of the others. An annotator who falls below the campaign's "
            "limits (pause) is paused automatically; “Votes set aside” reverses that."
        ),
        "care_attention": "attention",
        "care_gold": "gold",
        "care_pace": "unhurried",
        "care_agreement": "with others",
        "paused_by_bounds": (
            "{name} is paused, and their votes are set aside: {why}. You can reverse this on the page Annotators."
        ),
        "alpha_of": {"by": "n", "one": "{alpha:.2f} on 1 task", "other": "{alpha:.2f} on {n} tasks"},
        "seconds_of": "{seconds:.1f} of {n}",
        "confusion": "Likely errors",
        "confusion_why": {
            "by": "n",
            "one": (
                "Estimated with Dawid and Skene's model: of the tasks whose truth is the row, the share that "
                "{name} decides as the column says, from 1 task that others decided too."
            ),
            "other": (
                "Estimated with Dawid and Skene's model: of the tasks whose truth is the row, the share that "
                "{name} decides as the column says, from {n} tasks that others decided too."
            ),
        },
        "no_confusion": {
            "by": "n",
            "one": "{name} shares 1 task with others. Estimating errors takes {least}.",
            "other": "{name} shares {n} tasks with others. Estimating errors takes {least}.",
        },
        "truth": "Truth",
        "of": "{share:.0%} of {n}",
        # Reasons
        "reasons": "Reasons",
        "reasons_why": "How often annotators gave each reason, and the newest tasks that they gave it for.",
        "no_reasons": "No reasons yet.",
        "examples": "Examples",
        "item": "Item {item}",
        "picture": "First picture of item {item}",
        # People
        "assigned": "Assignments",
        "assigned_why": "A campaign is open to all annotators until you assign some. Annotators whose assignment you "
        "remove keep their decisions.",
        "everybody": "All annotators",
        "only": "Only assigned annotators",
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
        "of_step": "Step with an objection",
        "of_stream": "What",
        "option_count": "{words} · {count:,}",
        "measure": "Measure",
        "least": "At least",
        "most": "At most",
        "range_of": "{records:,} records, from {least:g} to {most:g}",
        "sort": "Order",
        "sort_activity": "Latest decision first",
        "sort_divided": "Most divided first",
        "sort_doubt": "Most doubtful first",
        "sort_measure": "Lowest measure first",
        "sort_measure_most": "Highest measure first",
        "sort_likeness": "Most similar first",
        "like_file": "Find images similar to a picture",
        "like_why": "Compared by perceptual hash, which finds copies, including resized or recolored ones, but not "
        "the same subject.",
        "like_is": "Similar to a picture, most similar first",
        "no_hashes": "No step has computed perceptual hashes here; a recipe with `near_duplicates` does.",
        "not_a_picture": "This file cannot be read as a picture: {why}",
        "show_all": "Show everything",
        "found_all": {"by": "total", "one": "1 item or image", "other": "{total:,} items and images"},
        "found": "{total:,} found",
        "found_none": "No results. Remove a filter, or search for fewer words.",
        "nothing_made": "There is nothing here yet: no recipe has run in this workspace, and no campaign has been "
        "opened.",
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
        "act_on": "Act on the selection",
        "act_with": "Act on this record",
        "act_withdraw": "Withdraw: exclude from the next run onward",
        "act_restore": "Restore: overrule the step that dropped it",
        "act_undo": "Undo a curator's decision",
        "act_why": "Why",
        "act_why_hint": "One line; stored with each decision",
        "act_plan": "Preview the effect",
        "none_selected": "Select items first.",
        "plan_gone": "This page was out of date. Preview the effect again.",
        "would_withdraw": "{count:,} would be withdrawn.",
        "would_restore": "{count:,} would be restored.",
        "would_undo": {
            "by": "count",
            "one": "1 decision made by hand would be undone.",
            "other": "{count:,} decisions made by hand would be undone.",
        },
        "would_not": {"by": "count", "one": "1 stays as it is: {why}.", "other": "{count:,} stay as they are: {why}."},
        "act_after": "The next run applies this; until then, open tasks are still handed out. You can undo it here.",
        "act_after_undo": "The next run applies this: the steps' own verdicts count again. You can decide again.",
        "do_withdraw": "Withdraw {count:,}",
        "do_restore": "Restore {count:,}",
        "do_undo": "Undo {count:,}",
        "did_withdraw": "{count:,} withdrawn. The next run applies this.",
        "did_restore": "{count:,} restored. The next run applies this.",
        "did_undo": "{count:,} undone. The next run applies this.",
        "undo_this": "Undo this",
        "cancel": "Cancel",
        # One item
        "back_to_items": "Back to the list",
        "no_such_item": "This workspace has no such item or image; a run may have removed it.",
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
        "said_here": "Annotators' decisions",
        "nobody_asked": "No annotator has been asked about it yet.",
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
        "steps_said": "Verdicts of steps",
        "no_steps": "No step has judged it.",
        "measured": "Measured",
        "evidence": "Evidence",
        "verdict": "Verdict",
        "own_verdict": "{verdict} (by hand; the step's own verdict: {own})",
        "by_hand_head": "Decided by hand",
        "hand_keep": "restored",
        "hand_drop": "withdrawn",
        "hand_undo": "undone",
        "scores": "Evaluations",
        "releases": "Releases",
        "comes_from": "Origin",
        "source_picture": "Source picture",
        "find_alike": "Find similar images",
        "fact_made_by": "Made by",
        "fact_written_by": "Texts written by",
        "fact_evidence": "How it was made",
        "fact_source_uri": "File",
        "fact_dataset": "Dataset",
        "fact_canonical_id": "Id in the dataset",
        "fact_licence": "License",
        "fact_author": "Author",
        "fact_retrieved_at": "Retrieved",
        "fact_media_type": "Format",
        "fact_size": "Size in pixels",
        "fact_image": "SHA-256",
        "still_asked": "You may be asked to judge this yourself. The key and the decisions of others stay hidden "
        "until you choose not to judge it.",
        "look": "Show all; I will not judge it",
        "looked": "You have seen the key and the decisions of others, so you will not be asked to judge this.",
        "decide_here": "Decide as adjudicator",
        "decide_why": "The annotators of {campaign} disagree about it. Your decision counts in place of theirs.",
        "cannot_decide": "Only the annotator who made a decision can change it, under “My decisions”. You can ask "
        "again, or withdraw the item. You can decide it yourself only under a rule with an adjudicator, such as "
        "{rule}.",
        "assign_to": "Ask one annotator first",
        "assign_whom": "Choose an annotator",
        "assign_why": "Open tasks about it are reserved for this annotator for {days} days and come before their "
        "other tasks. No task is taken from another annotator, and a task that this annotator skips returns to all.",
        "assign": "Assign",
        "assigned_n": "Tasks assigned to {name}: {count:,}.",
        "reopen_again": "Ask again about decided tasks: reason",
        "reopen_why": "Each decided task goes to as many further annotators as its rule takes. Earlier decisions "
        "stay on record but no longer count.",
        "reopen": "Ask again",
        "reopened_n": "Tasks reopened: {count:,}.",
        "not_reopened_n": "Not reopened: {count:,}. Reason: {why}.",
        "not_assigned_n": "Not assigned: {count:,}. Reason: {why}.",
        "take_back": "Take back",
        "accept_task": "Accept",
        "reject_task": "Reject",
        "reopen_task": "Send back to further annotators",
        "confirm_task": "This is final: an adjudicator's decision cannot be undone. Further decisions need another "
        "round.",
        "confirm_reopen": "Further annotators will be asked, as many as before. This cannot be undone.",
        "do_it": "Yes, do it",
        "task_decided": "Decided.",
        "task_reopened": "Sent back.",
        "see_items": "See these items",
        "see_item": "See the item",
        "not_assigned": "You are not assigned to this campaign. Ask a curator to assign you, or choose another one.",
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
    """Return the words for a code in a form or an outcome; without an entry, the code with spaces."""
    return CODES[code] if code in CODES else " + ".join(words_of_code(part) for part in code.split("+"))


def rule_in_words(rule: str) -> str:
    """Return the words for a rule: `unanimous(2)` becomes "All 2 agree", and `answers(3)` "Every answer counts"."""
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
