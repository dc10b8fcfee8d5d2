"""Generation of a year of monthly batches from one-minute events, with uncertainty and without, in turns.

The baseline is the same generation by a model that does not ask. Each of five inputs states a standard
uncertainty of its own, and two have four certificates each over the year, by which the sums are split.
"""

from itertools import pairwise

from bench_generation import MODEL, SLUGS, generate, load_minutes, make_plant
from service import median, service

ROUNDS = 5
GOAL = 1.3
QUARTERS = ("2025-01-01", "2025-04-01", "2025-07-01", "2025-10-01", "2026-01-01")
ASKING = MODEL.replace("nodes:", "uncertainty: {coverage_probability: 0.95}\nnodes:")


def main() -> None:
    with service(api_processes=1, with_worker=True) as running:
        project, event_type = make_plant(running)
        load_minutes(running.database_url, project["numeric_id"], event_type)
        _state(running, project["id"])
        ratios = []
        for number in range(ROUNDS):
            plain = generate(running, project["id"], f"Without {number}")
            asking = generate(running, project["id"], f"With {number}", ASKING)
            ratios.append(asking / plain)
            print(f"round {number + 1}: without {plain:.2f} s, with {asking:.2f} s, ratio {ratios[-1]:.2f}")
        print(f"uncertainty: median ratio {median(ratios):.2f} of the same without (goal: at most {GOAL})")


def _state(running, project: str) -> None:
    home = f"/projects/{project}"
    [kind] = running.call("GET", f"{home}/event_types")["data"]
    points = [{"slug": slug, "uncertainty": {"relative_standard": 0.01}} for slug in SLUGS]
    running.call("PATCH", f"{home}/event_types/{kind['id']}", {"event_type": {"data_point_types": points}})
    for slug in SLUGS[:2]:
        for start, end in pairwise(QUARTERS):
            body = {
                "name": f"{slug} {start}", "event_type_id": kind["id"], "data_point_type": slug,
                "valid_from": f"{start}T00:00:00Z", "valid_until": f"{end}T00:00:00Z",
                "uncertainty": {"relative_half_width": 0.005, "coverage_factor": 2},
            }  # fmt: skip
            running.call("POST", f"{home}/calibrations", {"calibration": body})


if __name__ == "__main__":
    main()
