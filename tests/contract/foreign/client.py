"""A program on the client that openapi-python-client makes: it creates, lists, generates and waits."""

import sys
import time
from datetime import UTC, datetime

from generated import AuthenticatedClient
from generated.api.async_tasks import get_async_task
from generated.api.batch_generations import create_batch_generation
from generated.api.projects import create_project, list_projects
from generated.models import NewGeneration, NewProject, NewProjectBody

address, token, ledger = sys.argv[1:]
client = AuthenticatedClient(base_url=address, token=token)

made = create_project.sync(client=client, body=NewProjectBody(project=NewProject(name="Made by a client")))
names, cursor = [], None
while True:
    walked = {"cursor": cursor} if cursor else {}
    page = list_projects.sync(client=client, page_size=1, **walked)
    names += [project.name for project in page.data]
    cursor = page.info.next_cursor
    if cursor is None:
        break
january = NewGeneration(datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 2, 1, tzinfo=UTC))
task = create_batch_generation.sync(ledger, client=client, body=january)
while task.state not in {"complete", "failed"}:
    time.sleep(0.1)
    task = get_async_task.sync(task.id, client=client)
sys.stdout.write(f"{made.name} {made.name in names} {task.state}\n")
