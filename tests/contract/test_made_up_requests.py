"""The OpenAPI document is a promise: whatever is sent, the answer is one that the document names.

A hundred requests are made up here, always the same; `make fuzz-api` makes up as many as one likes.
"""

from tools import fuzz_api

CASES = 100
SEED = 20250101


def test_no_answer_to_made_up_requests_is_one_that_the_document_does_not_name(server, api, tmp_path):
    run = fuzz_api.try_out(
        server.address, api.token, cases=CASES, seed=SEED, phases=("fuzzing",), folder=tmp_path, capture=True
    )

    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr
    assert int(run.stdout.partition(" generated")[0].split()[-1]) >= CASES // 2
