"""Which sentence of the page about the format a forgery breaks, by the words that found it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.given.forgeries.table import LISTED, SEALED, UNFOUND, Forgery

PAGE: Final = Path(__file__).parents[3] / "docs/reference/proof-bundle.md"

SEALING: Final = "Sealed are all parts but"
"""What forgeries break that contradict nothing, if the log was told of other parts."""

LINE: Final = "Each row of `events/*.csv` whose event is bound is its line"
LEAVES: Final = "bind it:"
RESULT: Final = "Compare every node of the batches in the line, and the run's total"
HEAD: Final = "Each proof contains the same head, and no extra line."
TOTAL: Final = "the entries of kind `credit`, `fall` and `rise` of a run, less its deficit, equal the total"
DRAWN: Final = "the entries of kind `draw` and `return` of a run equal, for each node and source"
ACCEPTED: Final = "`restate` of its chain equal what was accepted"
SUCCEEDED: Final = "of every list of `predecessors` in rows `report.merge` and `report.split`"
ENDS: Final = "an entry that no report posted takes effect at the end of the later of two slots"
NAMED: Final = "A part that nothing names is a fault, and so is a named one that is missing."
REPORT: Final = "| the report | everything in `report.json`"
GENERATION: Final = "| generations | the start and the end of the generation of each batch"
PEOPLE: Final = "A correction by a person has a row of the same time and user"
RULE: Final = "| corrections by people, rules |"
DISMISSED: Final = "A finding was dismissed at `dismissed_at` by its user"
PERIOD: Final = "| outages, dismissals of findings | every column of `outages.csv`"
SERVICE: Final = "| assets, locations, feedstocks, event types | `names.csv`; the time in service"
VALUES: Final = "| static inputs, instruments |"
VERSIONS: Final = "| model versions, event types |"
PROJECT: Final = "| project, ledgers |"
KEYS: Final = "| keys of the log | `audit/keys.json`"
ENGAGED: Final = "the engagement without its findings with `after` of the newest row of the log"
STATED: Final = "the statement with the one that follows from the engagement"
SAMPLED: Final = "the digest and count of the population, the seed, and the sample that it draws"
CREDITED: Final = "a batch was credited with its stated amount, and its balance is never negative"
IN_BUNDLE: Final = "A batch is in the bundle if the report includes it, or a batch that is in it has it"
USED: Final = "Each row of ledgers, models, static inputs, and each event, is used by a batch"
IN_FORCE: Final = "A correction in a lineage names an event of that lineage that has, in the version read"
TYPES: Final = "| flag | `true`, `false` |"
EVIDENCE: Final = "| evidence | type, name, address, content type, size, digest and time"

BROKEN: Final[Sequence[tuple[str, str, str]]] = [
    ("entries.csv", "handed everything over", "the entries that name one of them add up to 0"),
    ("entries.csv", "chain has posted", ACCEPTED),
    ("entries.csv", "was accepted", ACCEPTED),
    ("", "captured nor corrected", LINE),
    ("", "its last completion left", "replace a leaf by another."),
    ("", "as it was captured", "`event.create` of the event (`object`) has its leaf"),
    ("", "as they were captured", "have the root (`after.root`) of the tree of RFC 6962 over the leaves"),
    ("", "lead to the root of the head", HEAD),
    ("", "which stored no event", "Every row binds an event of the bundle."),
    ("", "somebody stored it", "An event that a row binds is not imputed."),
    ("", "whose line is there", "the line of each event as it was captured, sorted by event"),
    ("", "is none of the type", LINE),
    ("late_events.csv", "", "A late event begins in the slot of a batch that was made before the event"),
    ("", "when computed again", RESULT),
    ("", "has another name, unit", RESULT),
    ("", "is missing; it comes to", RESULT),
    ("", "by its elements", RESULT),
    ("", "its slot and partition make", "Compare slot and name: the slot is one of the cadence"),
    ("batches.csv", "places, and its model says", "decimals at which shared amounts were cut"),
    ("", "releases compute by revision", "| `engine_revision` | whole | 2 |"),
    ("", "its run comes to", TOTAL),
    ("", "was credited with", CREDITED),
    ("", "holds -", CREDITED),
    ("", "other draws than its run", DRAWN),
    ("", "A node draws", "exactly `draw` and `return` name a node"),
    ("", "names none", "`reserve`, `release`, `report` and `restate` name a report"),
    ("", "is not undone as it was posted", "every entry of a deleted batch is reversed by one"),
    ("", "the slots end at", ENDS),
    ("", "which is of another ledger", "an entry is on a batch of its ledger"),
    ("", "than its generation", "all entries of one generation are posted at the same time"),
    ("", "which has 0 left", "the amount that the report includes of a batch is available"),
    ("lineage.jsonl", "that of the source", "A withdrawal is from a batch made before"),
    ("", "travelled along", "Its attributes are the outputs of the newest batch of the source's run"),
    ("", "what the source rests on", "The contributions are those of that batch's primary output"),
    ("", "than its run on other ledgers", "Take the events of their lineage, each once, in the state"),
    ("", "another model version or generation", "in one line of `slots.jsonl`, with its model and"),
    ("", "Nothing that is reported", IN_BUNDLE),
    ("", "Nothing in the bundle rests on", USED),
    ("", "Nothing in the bundle names this part", NAMED),
    ("", "is named, and is missing", NAMED),
    ("", "is not what the batch is", "each names a batch once, with its name, times, unit and ledger"),
    ("models/", "by its digest", "The digest of a model is the SHA-256 of its canonical text"),
    ("corrections.csv", "it puts", IN_FORCE),
    ("corrections.csv", "has no 'grade'", IN_FORCE),
    ("corrections.csv", "is none that batch", IN_FORCE),
    ("corrections.csv", "is not in events/hour.csv", IN_FORCE),
    ("corrections.csv", "neither true nor false", TYPES),
    ("corrections.csv", "", PEOPLE),
    ("evidence.csv", "", EVIDENCE),
    ("methodology.json", "The part is missing", NAMED),
    ("methodology.json", "among the others", "every such batch, if each model has `versions`"),
    ("methodology.json", "", "| the methodology | every field of `methodology.json`"),
    ("report.json", "the place of others", "`predecessors` of `report.json` (a list of ids)"),
    ("report.json", "", REPORT),
    ("audit/rows.jsonl", "was held", SUCCEEDED),
    ("audit/rows.jsonl", "what the report", SUCCEEDED),
    ("audit/rows.jsonl", "generation", GENERATION),
    ("audit/rows.jsonl", "the instrument", VALUES),
    ("audit/rows.jsonl", "the report", REPORT),
    ("audit/rows.jsonl", "Rows are sorted", "Rows are sorted by number."),
    ("batches.csv", "another time", GENERATION),
    ("batches.csv", "than the log says", VALUES),
    ("node_values.csv", "the log says", VALUES),
    ("static_inputs.csv", "", VALUES),
    ("ledgers.csv", "", PROJECT),
    ("bundle.json", "It names the log", "`audit_log` (the origin of its head)"),
    ("bundle.json", "", PROJECT),
    ("models.csv", "", VERSIONS),
    ("event_types.csv", "", VERSIONS),
    ("names.csv", "", SERVICE),
    ("meters.csv", "", SERVICE),
    ("outages.csv", "", PERIOD),
    ("findings.csv", "was dismissed", PERIOD),
    ("findings.csv", "", DISMISSED),
    ("rules/", "", RULE),
    ("audit/keys.json", "does not hold", "Every statement must hold."),
    ("audit/keys.json", "", KEYS),
    ("verification/", "does not follow from its log head", SAMPLED),
    ("verification/", "The seed of", SAMPLED),
    ("verification/", "not the population", SAMPLED),
    ("verification/", "than the audit log says", ENGAGED),
    ("verification/", "The audit log has", "every such row names one that is there."),
    ("verification/", "does not follow from engagement", STATED),
]
"""The beginning of a part, words of a sentence of the first checker, and words of the page."""


def find_broken_rule(forgery: Forgery) -> str:
    """The words of the page that a forgery breaks."""
    if forgery.part in {SEALED, UNFOUND, LISTED}:
        return SEALING
    return next(
        rule for part, words, rule in BROKEN if forgery.part.startswith(part) and words in forgery.found
    )


def quote_page(words: str) -> str:
    """The sentence, the item of a list or the row of a table of the page that has these words."""
    for block in re.split(r"\n\n|\n(?=- |\||\d\. )", PAGE.read_text()):
        text = re.sub(r"^(- |\d\. )", "", " ".join(block.split()))
        if words in text:
            sentences = [text] if text.startswith("|") else re.split(r"(?<=\.) (?=[A-Z`])", text)
            return next((sentence for sentence in sentences if words in sentence), text)
    raise LookupError(f"The page about the format has no {words!r}.")
