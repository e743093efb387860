# Every target works in a fresh clone: the environment is made first, in .venv, and nothing outside the clone changes.
SHELL := /bin/sh
export PATH := $(or $(PATH),/usr/local/bin:/usr/bin:/bin) # an empty environment has none
UV := ./scripts/uv
RUN := $(UV) run --frozen --no-sync
PEERS := benchmarks/peers/.venv/bin/python
SYNCED := .venv/.synced
FULL := .venv/.full

.DEFAULT_GOAL := help
.PHONY: help sync run test test-ray check lock fmt bench bench-start bench-micro calls bench-run kill corpus fuzz docs site build clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

sync: $(SYNCED) ## make the environment in .venv, as uv.lock has it

$(SYNCED): pyproject.toml uv.lock packages/markitect-tool/pyproject.toml packages/markitect-filter/pyproject.toml
	@$(UV) sync --frozen --quiet
	@touch $@

# Tests open our output with the programs that people use: all of them are installed, the cluster too.
$(FULL): pyproject.toml uv.lock packages/markitect-tool/pyproject.toml packages/markitect-filter/pyproject.toml
	@$(UV) sync --frozen --all-groups --quiet
	@touch $(SYNCED) $@

run: $(SYNCED) ## build the sample book and print it as Markdown
	@$(RUN) python examples/source-adapters/sample-book/build.py build/sample-book.epub
	@$(RUN) mkt source normalize build/sample-book.epub --format markdown

test: $(FULL) ## run the whole test suite
	$(RUN) pytest

# Ray starts dozens of Python processes: without compiled files each would compile thousands of modules.
test-ray: $(FULL) ## a cluster of two nodes on this machine that loses one of them
	PYTHONDONTWRITEBYTECODE= $(RUN) pytest -m ray

check: $(FULL) ## lock file, ruff, ruff format, mypy --strict
	$(UV) lock --check --offline --quiet
	$(UV) lock --check --offline --quiet --project benchmarks/peers
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy --strict packages/markitect-tool/src packages/markitect-filter/src

lock: ## write both lock files again after a change of dependencies
	$(UV) lock
	$(UV) lock --project benchmarks/peers

fmt: $(SYNCED) ## format the code and apply safe fixes
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

# The peers have an environment of their own. Modules are compiled first, as an installation by pip does.
bench: ## fidelity, time and memory beside other converters, into docs/performance.md; QUICK=1 for a few books
	$(UV) sync --project benchmarks/peers --frozen --compile-bytecode --quiet
	$(PEERS) -m compileall -q packages/markitect-tool/src packages/markitect-filter/src
	$(PEERS) -m benchmarks $(if $(QUICK),--quick)

bench-start: $(FULL) ## time the start of the command line and a context of 1,000 objects
	$(RUN) python benchmarks/startup.py
	$(RUN) python benchmarks/context.py

bench-micro: $(FULL) ## time the writer and the reader piece by piece, with pytest-benchmark
	$(RUN) pytest benchmarks/micro -o pythonpath=. --benchmark-only --benchmark-columns=min,median,stddev,rounds

calls: $(FULL) ## count the function calls that books of our own take; RECORD=1 makes them the new bound
	$(RUN) python -m benchmarks.calls $(if $(RECORD),--record)

bench-run: $(FULL) ## what a run costs beside conversion: two workers, the checkpoint, memory up to 30,000 books
	$(RUN) python -m benchmarks.pipeline
	PYTHONDONTWRITEBYTECODE= $(RUN) python -m benchmarks.scale

kill: $(FULL) ## 30 kills at random moments of runs over the whole corpus, each resumed to the same bytes
	MARKITECT_WHOLE_CORPUS=1 $(RUN) pytest -q packages/markitect-tool/tests/pipeline/run/test_killed.py

corpus: $(FULL) ## every corpus book and hostile book through the command: status, seconds, memory
	@$(RUN) python benchmarks/corpus_table.py

fuzz: $(FULL) ## change books and check what comes of them; SECONDS=60 SEED=1
	@$(RUN) python scripts/fuzz.py --seconds $(or $(SECONDS),60) --seed $(or $(SEED),1)

docs: $(FULL) ## regenerate the tables in docs/ and run every example in docs/
	$(RUN) python scripts/diagnostics_reference.py
	$(RUN) python scripts/record_schemas.py
	$(RUN) python scripts/epub_options.py
	$(RUN) pytest -q tests/test_docs.py

site: $(FULL) ## build the documentation as a site into build/site
	NO_MKDOCS_2_WARNING=1 $(RUN) mkdocs build --strict --quiet

build: $(SYNCED) ## build both packages into dist/
	$(UV) build --all-packages --quiet
	@ls dist

clean: ## remove what the targets made
	rm -rf .venv .venv-bootstrap benchmarks/peers/.venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
