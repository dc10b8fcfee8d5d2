"""Codes of ledgers, models, and what is told without a request."""

from collections.abc import Mapping
from typing import Final

from weighbridge.core.error_code.code import OF_MODEL, RULE, ErrorCode

ACCOUNTING: Final[Mapping[str, ErrorCode]] = {
    "system_ledger": ErrorCode(
        RULE, "The ledger is a system ledger, or only such a ledger will do.", "Name another ledger."
    ),
    "no_system_ledger": ErrorCode(
        RULE, "The ledger takes no instruments.", "Name the system ledger of such instruments."
    ),
    "report_state": ErrorCode(
        (409,), "The report is in a state that this does not start from.", "Read the report again."
    ),
    "bundle_missing": ErrorCode(
        (404,), "The report has no proof bundle yet.", "Ask for it with POST, and wait for its task."
    ),
    "time_stamp_missing": ErrorCode(
        (404, 503),
        "No time-stamping authority vouched for the bundle.",
        "Set WEIGHBRIDGE_TIME_STAMP_URL and _CERTIFICATES, or ask again when the authority answers.",
    ),
    "not_draft": ErrorCode((409,), "The report is no draft any more.", "Restate it by another report."),
    "restated": ErrorCode(
        RULE, "Another report restates this one already.", "Restate that one, which `records` names."
    ),
    "not_restatable": ErrorCode(
        RULE,
        "A report in this state is not restated.",
        "Wait for its end, or change it while it is a draft.",
    ),
    "several_ledgers": ErrorCode(
        RULE, "The batches are of several ledgers.", "Make a report of each ledger, which `records` names."
    ),
    "not_remaining": ErrorCode(
        RULE,
        "A report takes more of a batch or a partition than remains there at every moment.",
        "Take less, or leave the batches in `records` out.",
    ),
    "reported": ErrorCode(
        RULE,
        "A report holds what the batch credited or gave back.",
        "Restate the reports in `records` first, or wait until they are rejected.",
    ),
    "requirements": ErrorCode(
        RULE, "The report cannot be sent off as it is.", "See the other errors, one for each requirement."
    ),
    "no_batches": ErrorCode(RULE, "The report takes from no batch.", "Give it batches."),
    "batch_gone": ErrorCode(RULE, "Batches of the report were deleted.", "Leave those in `records` out."),
    "pending_proposals": ErrorCode(
        RULE, "Corrections of the data behind the report wait for approval.", "Approve or reject them."
    ),
    "stale_batches": ErrorCode(
        RULE, "Data behind batches of the report have changed.", "Generate the batches in `records` again."
    ),
    "late_data": ErrorCode(
        RULE,
        "Data of the report's time came or changed after its batches were generated.",
        "Generate the period again; `records` are the events, or the batches that wait for it.",
    ),
    "open_deficits": ErrorCode(
        RULE, "In the report's period more was drawn of the ledger than produced.", "See its deficits."
    ),
    "another_model": ErrorCode(
        RULE, "Batches were made by models that do not implement the methodology.", "Leave them out."
    ),
    "open_alerts": ErrorCode(
        RULE, "Alerts stand on what the batches were made of.", "Put the data right, or dismiss the alerts."
    ),
    "no_evidence": ErrorCode(
        RULE, "Batches have no evidence.", "Attach evidence to events of the batches in `records`."
    ),
    "measured_share": ErrorCode(
        RULE,
        "Less of what the report takes was measured than its methodology asks for, or nobody knows how much.",
        "Put measured values in the place of others, or leave the batches in `records` out.",
    ),
    "mapping": ErrorCode(
        RULE, "A mapping cannot be read, or cannot be filled.", "Mend it at the place that `field` names."
    ),
    "schema": ErrorCode(
        RULE,
        "What is to be sent breaks its schema, or the schema cannot be used.",
        "Make a methodology with another mapping or schema.",
    ),
    "own_ledger": ErrorCode(
        RULE, "The model would draw from the ledger that it credits.", "Name another ledger."
    ),
    "unknown_ledger": ErrorCode(
        RULE, "A node draws from a ledger that the project lacks.", "Create it, or correct the name."
    ),
    "unknown_output": ErrorCode(
        RULE, "A node asks for an output that the source ledger does not have.", "Name one that it has."
    ),
    "has_batches": ErrorCode(RULE, "The ledger has batches.", "Delete those in `records` first."),
    "has_entries": ErrorCode(RULE, "The ledger had batches, whose entries stay.", "Leave the ledger."),
    "incompatible": ErrorCode(RULE, "The unit cannot be converted to the one needed.", "Use another."),
    "incompatible_unit": ErrorCode(
        RULE, "The output's unit does not fit that of the ledger.", "Keep a unit of the same kind."
    ),
    "missing_output": ErrorCode(
        RULE, "The version lacks the output that the ledger keeps.", "Keep a node of that name."
    ),
    "no_model": ErrorCode(RULE, "The ledger has no model.", "Give the ledger a model."),
    "no_ledger": ErrorCode(RULE, "No ledger runs the model.", "Link a ledger to the model."),
    "other_model": ErrorCode(
        RULE, "The version is one of another model.", "Name a version of the same model."
    ),
    "no_project": ErrorCode(RULE, "The model belongs to no project.", "Name a model of a project."),
    "no_run": ErrorCode(
        RULE, "The batch was made by no run that can be repeated.", "Name a batch of a generation."
    ),
    "replaced": ErrorCode(
        RULE, "Another version of the model has replaced the batch's slot.", "Name the newer batch."
    ),
    "cut_slot": ErrorCode(
        RULE, "The range begins or ends inside a slot that stands.", "Move it to where the slot does."
    ),
    "no_slot": ErrorCode(
        RULE, "The range holds no whole slot of the cadence.", "Ask for a longer or another range."
    ),
    "passed_over": ErrorCode(
        RULE, "Every slot of the range is left out, as the message says.", "Ask for another range."
    ),
    "outside_period": ErrorCode(
        RULE, "A data point lies outside the period.", "Leave it out, or move the period."
    ),
    "unused": ErrorCode(
        OF_MODEL, "Nothing reads this input, or a named data point.", "Leave it out, or use it."
    ),
    "incomplete": ErrorCode(
        RULE, "The event lacks a required data point.", "Complete the event in `records`."
    ),
    "not_drawn_by_hand": ErrorCode(
        RULE, "No node of the model draws from this batch's ledger by hand.", "Leave the batch out."
    ),
    "balance": ErrorCode(
        RULE, "The batch in `records` holds less than was named of it.", "Name a smaller amount."
    ),
    "draws": ErrorCode(
        OF_MODEL, "A node cannot draw what it is to draw.", "See the message; credit the source ledger first."
    ),
    "not_covered": ErrorCode(
        OF_MODEL, "The data leave time of the slot uncovered, or cover it twice.", "Complete the events."
    ),
    "unmatched": ErrorCode(
        OF_MODEL, "Elements of two inputs do not match one another.", "Complete the events."
    ),
    "changes": ErrorCode(
        OF_MODEL, "A value that is to be one changes inside the slot.", "Ask for slots that end with it."
    ),
    "untagged": ErrorCode(
        OF_MODEL,
        "Data do not say which partition they belong to.",
        "Tag the events in `records` with what the model is partitioned by.",
    ),
    "not_computable": ErrorCode(
        OF_MODEL, "All that a node needs is there, and it comes to no value.", "See the message."
    ),
    "newer_batch": ErrorCode(
        RULE, "Newer batches of the run adjust it.", "Delete those in `records` first, or with it."
    ),
    "has_model": ErrorCode(
        RULE, "The ledger has a model, and stays with it.", "Make another ledger for the other model."
    ),
    "drawn": ErrorCode(
        RULE, "What the batch credited is drawn by others.", "Delete those in `records` first, or with it."
    ),
    "given_back": ErrorCode(
        RULE, "What the batch took was given back later.", "Delete those in `records` with it."
    ),
    "slot_replaced": ErrorCode(
        RULE,
        "The batch brought its slot to zero, and others account for its time.",
        "Delete those in `records` with it.",
    ),
    "settled": ErrorCode(
        RULE, "The deficit that the batch opened was settled later.", "Delete those in `records` with it."
    ),
    "batch": ErrorCode(
        RULE,
        "A batch is what the model run came to.",
        "Delete the batch in `records`; its run goes with it.",
    ),
}
"""Why books cannot be kept as was asked."""

MODEL: Final[Mapping[str, ErrorCode]] = {
    "yaml": ErrorCode(OF_MODEL, "The document is no YAML.", "See the line and column."),
    "limit": ErrorCode(OF_MODEL, "The document has more of something than is allowed.", "Use less."),
    "unknown_key": ErrorCode(OF_MODEL, "A key is none of the model language.", "Correct it."),
    "missing_key": ErrorCode(OF_MODEL, "A key that is needed is missing.", "Write it."),
    "body": ErrorCode(OF_MODEL, "A node has none or several of the kinds of body.", "Give it one."),
    "unit": ErrorCode(OF_MODEL, "A unit is none, or does not fit.", "See the message."),
    "expression": ErrorCode(OF_MODEL, "A formula or a condition cannot be read.", "See the message."),
    "unknown_node": ErrorCode(OF_MODEL, "A name leads to no node.", "Correct the name."),
    "unknown_event_type": ErrorCode(
        OF_MODEL, "An input names an event type or a data point that the project lacks.", "Correct the name."
    ),
    "cycle": ErrorCode(
        OF_MODEL, "Nodes or ledgers need one another in a circle.", "Take one of them out of the circle."
    ),
    "case": ErrorCode(OF_MODEL, "A case does not fit the model.", "See the message."),
    "case_failed": ErrorCode(
        OF_MODEL, "A case comes to something else than it expects.", "Correct the model or the case."
    ),
    "no_cases": ErrorCode(OF_MODEL, "The model has no cases: a warning.", "Write some."),
    "twice": ErrorCode(RULE, "A value is given twice.", "Give it once."),
}
"""Flaws of model documents, and of what they are tried with."""

LOCAL: Final[Mapping[str, ErrorCode]] = {
    "invalid_setting": ErrorCode((), "A setting is outside its range.", "See the reference of settings."),
}
"""Problems that only a command says, and no answer."""
