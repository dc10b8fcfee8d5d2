"""Create a report of batches, submit it, and wait until the submission ends."""

import sys

from weighbridge.client import Client, Invalid


def main(client: Client, project: str, name: str, *batches: str) -> str:
    """Submit the report and return its id. Raises SystemExit with every requirement that it does not meet."""
    report = client.reports.create(
        project_id=project, name=name, report_type="quarterly", batch_ids=list(batches)
    )
    try:
        submitted = client.reports.submit(report.id)
    except Invalid as error:
        raise SystemExit("\n".join(each.message for each in error.errors)) from None
    client.task(submitted.async_task_id).wait()
    print(f"{report.id} is {client.reports.get(report.id).status}")
    return report.id


if __name__ == "__main__":
    with Client() as weighbridge:
        main(weighbridge, *sys.argv[1:])
