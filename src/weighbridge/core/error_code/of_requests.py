"""Codes of requests, of the service, and of records of any kind."""

from collections.abc import Mapping
from typing import Final

from weighbridge.core.error_code.code import BOTH, RULE, SHAPE, ErrorCode

REQUEST: Final[Mapping[str, ErrorCode]] = {
    "malformed": ErrorCode(
        SHAPE,
        "The body, the query or a filter cannot be read at all.",
        "Send what the message asks for: JSON as UTF-8, or `filter[field][comparator]=value`.",
    ),
    "required": ErrorCode(
        BOTH, "Something that the request or a computation needs is missing.", "Send the field."
    ),
    "unknown": ErrorCode(
        BOTH,
        "A field, a parameter or a record of this name is not known here.",
        "Correct the name; the message lists what is taken, and the nearest name where there is one.",
    ),
    "invalid": ErrorCode(
        BOTH, "The field holds something that it does not take.", "Send what the message says is taken."
    ),
    "unsupported": ErrorCode(
        (400, 415),
        "The filter does not take this comparator, or the file is of a kind that is not taken.",
        "Use one that the message lists.",
    ),
    "unreadable": ErrorCode(
        SHAPE, "The value of a filter is not of the kind that its field holds.", "Send such a value."
    ),
    "conflict": ErrorCode(
        (400, 409, 422),
        "Two parts of the request contradict each other, or the record is in a state that does not allow it.",
        "Send one of the two, or read the record again and decide anew.",
    ),
    "too_far": ErrorCode(
        SHAPE, "The page lies behind the rows that are reached by number.", "Go on by `cursor`."
    ),
    "too_many": ErrorCode(
        BOTH,
        "There are more of these than are taken, or put in an order, at once.",
        "Send fewer at a time, or narrow the list by what the message names.",
    ),
    "unbounded": ErrorCode(
        RULE,
        "The list is sorted in this order only within filters that bound it.",
        "Add the filters that the message names.",
    ),
    "too_long": ErrorCode(RULE, "The range of time is longer than is taken.", "Ask for a shorter one."),
    "too_costly": ErrorCode(
        RULE,
        "Computing this costs more than a computation may.",
        "Shorten the pattern or the expression, or ask for fewer records.",
    ),
    "cursor_expired": ErrorCode(
        (410,),
        "What comes behind the cursor of the feed of changes is not kept any more.",
        "Take a new cursor by `after=latest`, read the lists anew, and follow the feed from that cursor.",
    ),
    "link_expired": ErrorCode(
        (410,), "The link opened a report, and its time is over.", "Ask whoever sent it for another one."
    ),
    "link_revoked": ErrorCode(
        (410,), "The link opened a report, and was revoked.", "Ask whoever sent it for another one."
    ),
    "too_large": ErrorCode((413,), "The body or the file is over the limit.", "Send less at a time."),
    "more": ErrorCode(
        BOTH, "More is wrong than the answer lists.", "Correct what is listed and send it again."
    ),
}
"""What is wrong with a request, whatever it asks for."""

SERVICE: Final[Mapping[str, ErrorCode]] = {
    "token_missing": ErrorCode(
        (401,), "The request carries no token.", "Send it as `Authorization: Bearer <token>`."
    ),
    "token_unknown": ErrorCode(
        (401,), "The token is not one of this service.", "Look for a slip, or have a token issued."
    ),
    "token_revoked": ErrorCode((401,), "The token has been revoked.", "Have a new one issued."),
    "token_expired": ErrorCode((401,), "The token has expired.", "Have a new one issued."),
    "unauthorized": ErrorCode((401,), "No usable token came with the request.", "Send a valid one."),
    "forbidden": ErrorCode((403,), "The token may not do this.", "Use a token that may."),
    "permission_missing": ErrorCode(
        (403,), "The token lacks the permission that the message names.", "Use a token that has it."
    ),
    "feature_off": ErrorCode(
        (403, 422),
        "The account does not have the feature that this belongs to.",
        "See `GET /feature_flags`; have the feature switched on, or leave the field out.",
    ),
    "not_found": ErrorCode(
        (404,),
        "The account has no record of this `type` and `id`; another account's is not told apart.",
        "Look the id up in the list of such records.",
    ),
    "no_such_path": ErrorCode((404,), "There is nothing at this path.", "See the OpenAPI document."),
    "method_not_allowed": ErrorCode(
        (405,), "The path does not take this method.", "See `Allow`, or ask the path with `OPTIONS`."
    ),
    "sign_in_refused": ErrorCode(
        (401,), "The address or the password of a person is wrong.", "Type them again, or ask for a link."
    ),
    "form_foreign": ErrorCode(
        (403,),
        "A form of the web app came from another site, or from a page of an earlier session.",
        "Open the page again and send the form from there.",
    ),
    "too_slow": ErrorCode((408,), "The body did not arrive in time.", "Send it again, or less at a time."),
    "overtaken": ErrorCode(
        (409,), "Another request changed what this one depends on; nothing was stored.", "Send it again."
    ),
    "in_progress": ErrorCode(
        (409,),
        "A request with the same Idempotency-Key is still under way.",
        "Send it again after `Retry-After` seconds, with the same key.",
    ),
    "account_busy": ErrorCode(
        (429,),
        "The account has as many requests at work, or under way, as one account may.",
        "Send it again after `Retry-After` seconds, and fewer at the same time.",
    ),
    "quota": ErrorCode(
        (422, 429),
        "The account would use more than its quota; the message says how much it uses and may.",
        "After 429 wait as long as `Retry-After` says; otherwise ask whoever runs the service for more.",
    ),
    "task_ended": ErrorCode(
        (409,), "The task is complete or failed, so there is nothing to cancel.", "Read the task."
    ),
    "unsupported_media_type": ErrorCode(
        (415,),
        "The body has a content type or an encoding that the path does not read.",
        "Send one that the message names.",
    ),
    "too_many_downloads": ErrorCode(
        (429,),
        "The account, or the service, is sending as many files as it can at once.",
        "Read the files that are on their way, and ask again.",
    ),
    "rate_limited": ErrorCode(
        (429,),
        "The token has made all its requests of this minute.",
        "Wait as many seconds as `Retry-After` says.",
    ),
    "too_many_failures": ErrorCode(
        (429,),
        "Too many tokens from this client's address were refused in this minute.",
        "Wait as many seconds as `Retry-After` says, and send a valid token.",
    ),
    "internal_error": ErrorCode(
        (500,),
        "The service made a mistake; it is logged under the request id.",
        "Report it with the `request_id`.",
    ),
    "damaged": ErrorCode(
        (500,), "What was stored is not what comes back.", "Report it; a backup may have the file."
    ),
    "disk_full": ErrorCode(
        (503,),
        "The disk that the message names is full; nothing was stored.",
        "Have room made; what only reads, and revoking tokens, go on.",
    ),
    "audit_key_missing": ErrorCode(
        (503,),
        "The host that answers has no key with which heads of the audit log are signed.",
        "Have the operator give it the key file of the other hosts (`WEIGHBRIDGE_AUDIT_KEY_FILE`).",
    ),
    "outcome_unknown": ErrorCode(
        (503,),
        "The process that worked on the request ended before it answered, and may have carried it out.",
        "Send it again with the Idempotency-Key that it had; without one, look first what there is.",
    ),
    "unavailable": ErrorCode(
        (503,), "The service cannot answer just now.", "Send it again after `Retry-After` seconds."
    ),
}
"""What a request is refused for before anybody looks at its fields."""

RECORD: Final[Mapping[str, ErrorCode]] = {
    "taken": ErrorCode(
        RULE,
        "Another record has this name, slug or reference already, or it comes twice in the request.",
        "Choose another one; `records` may name who has it.",
    ),
    "differs": ErrorCode(
        RULE,
        "An event of the project has this client reference, and something else there than what was sent.",
        "Correct that event, which `records` names, if it is wrong; sending another one changes nothing.",
    ),
    "rolled_up": ErrorCode(
        RULE,
        "The event is made of the readings of another event type, and nobody else writes it.",
        "Send, correct or void the readings; the message names their event type.",
    ),
    "in_use": ErrorCode(
        RULE,
        "Other records depend on this one, so that it cannot be changed or removed.",
        "See `records` and the message for what is in the way.",
    ),
    "reserved": ErrorCode(RULE, "The name belongs to a standard column.", "Choose another one."),
    "reused": ErrorCode(
        RULE, "The Idempotency-Key came with another request before.", "Use a new key for a new request."
    ),
    "full": ErrorCode(RULE, "The record holds as many of these as it can.", "Remove one first."),
    "pass": ErrorCode(RULE, "The rule result passes, so there is nothing to dismiss.", "Leave its id out."),
    "never_pending": ErrorCode(
        RULE, "The rule result never held a proposal, so there is nothing to decide.", "Leave its id out."
    ),
    "own_proposal": ErrorCode(
        RULE,
        "The account has somebody else approve what one's own rule or data proposed.",
        "Ask another person who may approve; `GET /feature_flags` says so in `approval_of_own`.",
    ),
    "decided": ErrorCode(
        RULE,
        "The proposal of the rule result waits for nobody: it was decided on otherwise, or withdrawn.",
        "Read the result again; its `approval_state` says where the proposal stands.",
    ),
}
"""Why a record cannot be as it was sent."""
