"""Approve the proposals of a rule whose effect is small, and list the others for a person to look at."""

import sys
from decimal import Decimal

from weighbridge.client import Client


def main(client: Client, project: str, rule: str, most: str) -> tuple[list[str], list[str]]:
    """Approve proposals that change no batch by more than `most` of its unit; return both lists of ids."""
    approved, left = [], []
    for result in list(client.rule_results.list(rule, approval_state="pending")):
        impact = client.rule_results.get_impact(project, result.id)
        changes = [abs(batch.primary_output_after - batch.primary_output_before) for batch in impact.batches]
        if max(changes, default=Decimal(0)) <= Decimal(most):
            client.rule_results.approve(project, result.id)
            approved.append(result.id)
        else:
            left.append(result.id)
            print(f"{result.id} would change {len(changes)} batches, the most by {max(changes)}")
    return approved, left


if __name__ == "__main__":
    with Client() as weighbridge:
        approved, left = main(weighbridge, *sys.argv[1:])
        print(f"{len(approved)} approved, {len(left)} left")
