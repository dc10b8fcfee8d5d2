"""Generate the batches of a period: preview, generate, then print what changed."""

import sys

from weighbridge.client import Client


def main(client: Client, ledger: str, start: str, end: str) -> list[str]:
    """Generate, unless the preview lists problems; return the ids of the new batches.

    Raises SystemExit with the problems.
    """
    preview = client.batch_generations.generate_preview(ledger, start_time=start, end_time=end)
    problems = [f"{entry.name}: {problem}" for entry in preview.data for problem in entry.problems]
    if problems:
        raise SystemExit("\n".join(problems))
    for entry in preview.data:
        print(f"{entry.name}: {entry.count} batches, of which {entry.adjustments} adjust earlier ones")
    task = client.batch_generations.create(ledger, start_time=start, end_time=end)
    result = task.wait()
    for batch_id in result["batches"]:
        batch = client.batches.get(batch_id)
        print(f"{batch.tracking_id}: {batch.primary_output.value} {batch.primary_output.unit}")
    return list(result["batches"])


if __name__ == "__main__":
    with Client() as weighbridge:
        main(weighbridge, *sys.argv[1:])
