# Everything goes through `make`: on a machine with Python 3.11 or newer, make and a package index each
# target first makes what it needs, in .venv.

PYTHON ?= python3
BIN := .venv/bin
# What running needs, and what developing needs beside it.
RUNNABLE := .venv/.runnable
READY := .venv/.ready
COMPILED := .venv/.compiled
TOOLS := .venv/tools
AUDITING := .venv/tools/.ready
FUZZ_MINUTES ?= 10
CASES ?= 10000
# Tests of durability wait for leases and signals: half as many workers again as cores keep those busy.
WORKERS ?= $(shell echo $$(( ($$(nproc 2>/dev/null || echo 2) * 3 + 1) / 2 )))

# The tests start hundreds of processes of one code: what Python compiled is kept, wherever they run.
export PYTHONDONTWRITEBYTECODE :=

COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

.DEFAULT_GOAL := help
.PHONY: help setup demo serve test test-long test-all long-tests test-cells test-citus packages packages-long check lint types compiled bench scale fuzz fuzz-accounting stories stories-as-of stories-uncertainty same-bytes durability certify chaos hosts fuzz-api fuzz-readers fuzz-bundle bundle-set mutations attack attack-readers sensor screenshots docs site dist agent release-check stored-release lock sbom audit clean

help: ## say what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

setup: $(READY) ## make .venv with every package that requirements-dev.lock names

demo: $(RUNNABLE) ## run the whole chain on a fresh database; at a terminal, open it in a browser
	@$(BIN)/weighbridge demo

serve: $(RUNNABLE) ## run the service on http://127.0.0.1:8080 with its data in .data
	@$(BIN)/weighbridge serve --data-dir .data --host 127.0.0.1 --port 8080

test: packages ## lint, types, import contracts, then every test but the long ones
	@$(MAKE) --no-print-directory --jobs=2 types lint compiled
	@$(BIN)/pytest -m "not long" --numprocesses $(WORKERS) --dist worksteal

test-long: packages-long compiled ## the tests that take long, which tests/long_tests.txt names
	@$(BIN)/pytest -m long --numprocesses $(WORKERS) --dist worksteal

test-all: packages-long compiled ## every test, with the time of each in build/tests.xml
	@$(BIN)/pytest --junitxml=build/tests.xml --numprocesses $(WORKERS) --dist worksteal

long-tests: $(READY) ## write tests/long_tests.txt from the times of `make test-all`
	@$(BIN)/python -m tools.long_tests build/tests.xml

packages: ## install what tests need of the system's packages, where that can be done, and say what is missing
	@tools/system_packages.sh
	@PYTHON=$(PYTHON) tools/foreign_tools.sh

packages-long: packages ## install what long tests need besides: buildah for the image, and a Python for ARM in .venv
	@tools/system_packages.sh long
	@tools/arm64_root.sh

check: test ## the same as `make test`, which is what CI runs

lint: $(READY) ## style, format and the layers of the imports
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/python tools/openapi_changes.py --since-release
	@$(BIN)/lint-imports --no-logo --no-cache > .venv/imports.log || { cat .venv/imports.log; exit 1; }

types: $(READY) ## check the types
	@$(BIN)/mypy --no-error-summary src tools

# Workers of a run begin together: each would compile all that none has compiled yet.
# Where nothing has changed since, nothing is left to compile.
compiled: $(READY)
	@if [ ! -e $(COMPILED) ] || [ -n "$$(find src tests $(READY) -newer $(COMPILED) -type f ! -name '*.pyc' -print -quit)" ]; then \
		touch $(COMPILED).begun; \
		$(BIN)/pytest --collect-only -qq > .venv/collected.log 2>&1 || { cat .venv/collected.log; exit 1; }; \
		mv $(COMPILED).begun $(COMPILED); \
	fi

bench: $(READY) ## run every benchmark in turn
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation -e '.[bench]'
	@for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python "$$file" || exit 1; done

scale: $(READY) ## one project of EVENTS events, 100,000,000 by default, beside one of a million: ingest, lists, generation
	@$(BIN)/python benchmarks/at_scale.py $(or $(EVENTS),100000000)

fuzz: $(READY) ## run the property tests with new seeds for FUZZ_MINUTES, 10 by default
	@end=$$(($$(date +%s) + 60 * $(FUZZ_MINUTES))); \
	while [ "$$(date +%s)" -lt "$$end" ]; do $(BIN)/pytest -m hypothesis --hypothesis-profile=fuzz --hypothesis-seed="$$(date +%s)" || exit 1; done

fuzz-accounting: $(READY) ## tell STORIES stories of a chain of ledgers and of its reports, 500 by default, each of up to 30 steps
	@STORIES=$(or $(STORIES),500) STEPS=$(or $(STEPS),30) \
		$(BIN)/pytest -s tests/accounting/batch_generations/test_stateful.py \
		tests/accounting/batch_generations/test_stories_of_events.py \
		tests/accounting/batch_generations/test_stories_of_cadences.py \
		tests/reporting/reports/test_stateful.py tests/reporting/reports/test_restate_stories.py $(if $(SEED),--hypothesis-seed=$(SEED))

stories: $(READY) ## tell STORIES stories that mix all parts, 1000 by default, beginning with SEED, each of STEPS steps
	@STORIES=$(or $(STORIES),1000) STEPS=$(or $(STEPS),25) SEED=$(or $(SEED),1) \
		$(BIN)/pytest -n $(WORKERS) tests/stories/test_mixed_parts.py

stories-as-of: $(READY) ## tell STORIES stories, 100 by default, and read each again as it was known after each of STEPS steps
	@STORIES=$(or $(STORIES),100) STEPS=$(or $(STEPS),14) SEED=$(or $(SEED),1) \
		$(BIN)/pytest -n $(WORKERS) tests/stories/test_as_known_then.py

stories-uncertainty: $(READY) ## tell STORIES stories of uncertain readings, 200 by default, beginning with SEED, each of STEPS steps
	@STORIES=$(or $(STORIES),200) STEPS=$(or $(STEPS),14) SEED=$(or $(SEED),1) \
		$(BIN)/pytest -n $(WORKERS) tests/stories/test_shared_uncertainty.py

same-bytes: ## draw the trials whose bytes are known with another Python, which PYTHON names
	@$(PYTHON) -m venv build/same-bytes
	@build/same-bytes/bin/pip install --quiet --disable-pip-version-check .
	@PYTHONPATH=. build/same-bytes/bin/python -m tests.core.engine.same_bytes

test-cells: $(READY) ## run the tests of the interface and of the books on accounts in a second cell
	@$(BIN)/pytest --second-cell -n $(WORKERS) tests/contract tests/accounting tests/collection tests/platform tests/exchange \
		tests/quality tests/modelling tests/reporting tests/web

# What a run on a cluster leaves out of these, and why, is listed in tests/left_out.py.
ON_A_NODE = tests/contract tests/accounting tests/collection tests/platform tests/exchange tests/quality \
	tests/modelling tests/reporting tests/stories tests/verification tests/web \
	tests/db/test_account_move.py tests/db/test_two_cells.py tests/db/test_moving_on_a_cluster.py \
	tests/db/test_statements_on_a_node.py tests/durability/test_moving_cells.py tests/durability/test_lost_nodes.py

test-citus: $(READY) ## run tests on accounts in cells on two nodes of a Citus cluster, which CLUSTER="command" starts
	@test -n "$(CLUSTER)" || { echo "make test-citus needs CLUSTER=command, which starts and stops a cluster; nothing was tested"; exit 0; }; \
	test -z "$(CLUSTER)" || $(BIN)/pytest --citus "$(CLUSTER)" -n 2 $(or $(TESTS),$(ON_A_NODE))

durability: $(READY) packages ## kill processes KILLS times, race ROUNDS times, 500 each by default; stop the database STOPS times
	@KILLS=$(or $(KILLS),500) ROUNDS=$(or $(ROUNDS),500) STOPS=$(or $(STOPS),20) EVENTS=$(or $(EVENTS),200000) \
		RESUMES=$(or $(RESUMES),100) AGENT_KILLS=$(or $(AGENT_KILLS),200) DELIVERIES=$(or $(DELIVERIES),100) \
		$(if $(SEED),SEED=$(SEED)) $(BIN)/pytest -s tests/durability/test_kills.py tests/durability/test_races.py \
		tests/durability/test_database_stop.py tests/durability/test_fence.py tests/durability/test_generation.py \
		tests/durability/test_changes.py tests/durability/test_agent_kills.py tests/durability/test_submissions.py

certify: $(READY) packages ## kill whoever sends a quarter to Isometric Certify at every EVERYth call, each by default; ISOMETRIC_OPENAPI names its document
	@test -n "$(ISOMETRIC_OPENAPI)" || { echo "make certify needs ISOMETRIC_OPENAPI=document, which Isometric publishes; nothing was tested"; exit 0; }; \
	test -z "$(ISOMETRIC_OPENAPI)" || ISOMETRIC_OPENAPI=$(ISOMETRIC_OPENAPI) EVERY=$(or $(EVERY),1) $(BIN)/pytest -s -n 0 tests/reporting/isometric/test_requests.py

chaos: $(READY) packages ## kill, cut off, fill and set clocks beside an agent AGENT_KILLS times, 200 by default, beginning with SEED
	@AGENT_KILLS=$(or $(AGENT_KILLS),200) $(if $(SEED),SEED=$(SEED)) $(BIN)/pytest -s tests/durability/test_agent_kills.py

hosts: $(READY) ## kill, cut off and lose hosts of API, workers and database for MINUTES, 30 by default; as root
	@MINUTES=$(or $(MINUTES),30) $(if $(SEED),SEED=$(SEED)) $(BIN)/pytest -s tests/durability/hosts

fuzz-bundle: $(READY) ## change BYTES single bytes of a proof bundle, 1,000 by default; each has to be found
	@WEIGHBRIDGE_BUNDLE_BYTES=$(or $(BYTES),1000) $(BIN)/pytest tests/reporting/bundle/test_tampering.py tests/reporting/bundle/test_semantic_tampering.py

bundle-set: $(READY) ## store proof bundles in OUT (bundle-set), valid and changed ones, to test another checker with
	@WEIGHBRIDGE_BUNDLE_SET=$(or $(OUT),bundle-set) $(BIN)/pytest tests/reporting/bundle

mutations: $(READY) ## change every column of the books; each change has to be found, or listed in the documents
	@$(BIN)/pytest tests/verification/test_mutations.py --every-mutation

sensor: $(READY) ## import all five years of a public log of a gas turbine, when its file is there
	@HOURS=36733 $(BIN)/pytest tests/commands/test_import_sensor_data.py tests/sensor

fuzz-api: $(READY) ## send CASES requests made up from the OpenAPI document, 10,000 by default
	@$(BIN)/python tools/fuzz_api.py --cases $(CASES) $(if $(SEED),--seed $(SEED))

fuzz-readers: $(READY) ## make up INPUTS texts, 250,000 by default, for each of the four readers of foreign text
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation -e '.[fuzz]'
	@$(BIN)/python -m tools.fuzz_readers --inputs $(or $(INPUTS),250000)

attack: $(READY) ## attack a service of its own in every known way for SECONDS each, 10 by default, and say who felt it
	@$(BIN)/python -m tools.attack --seconds $(or $(SECONDS),10) $(if $(ONLY),--only "$(ONLY)")

attack-readers: $(READY) ## search for texts that cost most processor time for each byte, SECONDS for each reader, 10 by default
	@$(BIN)/python -m tools.attack.costly --seconds $(or $(SECONDS),10)

screenshots: $(READY) packages ## take every page in FOLDER, .screenshots by default, and the images of the documentation
	@$(BIN)/python -m tools.screenshots --folder $(or $(FOLDER),.screenshots) --images docs/images $(if $(ONLY),--only "$(ONLY)")

docs: $(READY) ## write the reference pages that are made from the code
	@$(BIN)/python -m tools.reference
	@$(BIN)/weighbridge openapi --output docs/reference/openapi.json
	@$(BIN)/python -m tools.client_source

site: $(READY) ## build the guide that the service has at /guide, from docs/; every dead link is said
	@$(BIN)/python -m tools.site

dist: $(READY) ## build wheel and source distribution into dist/, twice, to see that the bytes are the same
	@$(BIN)/python -m tools.distributions dist --twice

agent: $(READY) ## build the agent as one file for each kind of machine into dist/agent, twice; KEY signs them, SIGNERS are whose updates they take
	@$(BIN)/python -m tools.agent_file dist/agent --twice $(if $(KEY),--key "$(KEY)") $(if $(SIGNERS),--signers "$(SIGNERS)")

release-check: $(READY) ## install the wheel in an empty environment from the index, with its extras, and try it
	@$(BIN)/python -m tools.stored_release --check
	@PACKAGES=locked $(BIN)/pytest tests/release

stored-release: $(READY) ## keep the data, steps and interface of the version that is about to be released
	@$(BIN)/python -m tools.stored_release

lock: $(READY) ## bring both lock files up to pyproject.toml, for every platform
	@$(BIN)/pip install --quiet uv
	@$(COMPILE) --extra install --extra agent --extra traces --extra dev pyproject.toml -o requirements-dev.lock
	@$(COMPILE) --extra install --constraints requirements-dev.lock pyproject.toml -o requirements.lock
	@$(COMPILE) --group agent-file --constraints requirements-dev.lock -o requirements-agent.lock

sbom: $(AUDITING) ## write sbom.json, the packages that the service runs with, in the form of CycloneDX
	@$(TOOLS)/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible \
		--of JSON -o sbom.json
	@echo "sbom.json"

audit: $(AUDITING) ## ask the network whether a locked package has a known vulnerability
	@$(TOOLS)/bin/pip-audit --strict --require-hashes --disable-pip --requirement requirements.lock || \
		{ echo "A package has a known vulnerability, or the index that pip uses cannot tell; see above."; exit 1; }

clean: ## remove what was made here; .data stays
	rm -rf .venv build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(RUNNABLE): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Weighbridge needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null || \
		{ echo "This Python cannot make virtual environments; install its venv package, on Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@echo "Setting up .venv"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(READY): $(RUNNABLE) requirements-dev.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

$(AUDITING): $(RUNNABLE)
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/pip install --quiet --disable-pip-version-check cyclonedx-bom pip-audit || \
		{ echo "The tools cannot be installed: pip reaches no index of packages, which this needs."; exit 1; }
	@touch $@

