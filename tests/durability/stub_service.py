"""A service without a domain: what the supervisor needs to see of a real application and worker."""

import os
import sys

from weighbridge.errors import Refusal
from weighbridge.settings import read_with
from weighbridge.supervisor import lifecycle, logs


def announce(address):
    sys.stdout.write(f"ready {address}\n")
    sys.stdout.flush()


def serve(data_dir, port, application, worker):
    settings = read_with(
        data_dir=data_dir, port=port, api_processes=2, shutdown_seconds=2, log_format="json",
        computing_processes=int(os.environ.get("COMPUTING", "0")),
    )  # fmt: skip
    logs.configure(settings)
    try:
        lifecycle.serve(
            settings,
            announce=announce,
            application=f"stub_parts:{application}",
            worker=("-c", f"import stub_parts; stub_parts.{worker}()"),
        )
    except Refusal as refusal:
        sys.exit(str(refusal))


if __name__ == "__main__":
    serve(*sys.argv[1:])
