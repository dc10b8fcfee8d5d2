"""Dismiss every open alert of a rule with one reason, up to 1,000 at a time."""

import sys
from itertools import islice

from weighbridge.client import Client

AT_A_TIME = 1_000


def main(client: Client, project: str, rule: str, reason: str) -> int:
    """Dismiss the alerts and return their number. A second run finds none."""
    alerts = (result.id for result in list(client.rule_results.list(rule, status="fail")))
    dismissed = 0
    while ids := list(islice(alerts, AT_A_TIME)):
        dismissed += len(client.rule_results.bulk_dismiss(project, result_ids=ids, reason=reason).data)
    return dismissed


if __name__ == "__main__":
    with Client() as weighbridge:
        print(f"{main(weighbridge, *sys.argv[1:])} alerts dismissed")
