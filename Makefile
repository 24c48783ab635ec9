# Every target works from a fresh clone: it needs make, a C compiler and Python 3.11 or newer,
# and sets up what else it uses. `make help` lists the targets.

PYTHON ?= $(shell command -v python3.11 || command -v python3 || echo python3)
VENV   := .venv
BIN    := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -n 2

# One stamp for the libraries, one for the project itself: a change of pyproject.toml is a change
# of the second only, unless `make lock` says that the libraries change with it.
LIBRARIES := $(VENV)/.libraries
PROJECT   := $(VENV)/.project

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test ci lint rules mutants docs format benchmark lock clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: $(PROJECT) ## make .venv with everything; quick when nothing changed

$(LIBRARIES): requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'clausegate needs Python 3.11 or newer; name one: make setup PYTHON=...' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	@touch $@

$(PROJECT): $(LIBRARIES) pyproject.toml
	$(BIN)/python -m pip install --quiet --no-deps --no-index --no-build-isolation --editable .
	@touch $@

demo: setup ## what clausegate does, in two minutes
	@$(BIN)/python examples/demo.py

lint: setup ## style, types and import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --no-incremental
	$(BIN)/lint-imports --no-cache

rules: setup ## Rules.md holds together, what is generated is fresh
	$(BIN)/clausegate build --check
	$(BIN)/clausegate check
	$(BIN)/python -m rules_dsl.explain.pages --check

mutants: setup ## no change of one word or cell of Rules.md goes unnoticed
	$(BIN)/clausegate test --mutate

docs: setup ## write docs/diagnostics.md; the reference of the clauses is a part of clausegate build
	$(BIN)/python -m rules_dsl.explain.pages

test: lint rules ## all of the above and the quick tests
	$(PYTEST) -m 'not slow'

ci: test mutants ## test, every mutant, the long tests and those of the wheel
	$(PYTEST) -m slow

format: setup ## rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# All of them, also when one passes its limit.
benchmark: setup ## gate, clauses and validator against plain Python, the workload against fio (needs fio)
	@missed=; \
	for script in gate_start judging validate_package 'checkpoint_io --folder .'; do \
	  set -- $$script; name=$$1; shift; \
	  echo "benchmarks/$$name.py $$*"; \
	  $(BIN)/python benchmarks/$$name.py "$$@" || missed="$$missed $$name"; \
	done; \
	test -z "$$missed" || { echo "missed:$$missed" >&2; exit 1; }

# The pins carry hashes and no addresses: pip's own configuration says where packages come from.
lock: ## pin the newest releases that pyproject.toml allows in requirements/dev.txt
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet pip-tools
	$(PYTHON) requirements/wanted.py | build/lock/bin/pip-compile --quiet --upgrade --generate-hashes \
	  --allow-unsafe --strip-extras --no-header --no-annotate --no-emit-options \
	  --output-file requirements/dev.txt -

clean: ## remove everything that the targets make
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
