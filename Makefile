# Every target does its own set-up in .venv; nothing but Python >= 3.11 and make is needed.
VENV := .venv
BIN := $(VENV)/bin
# A version manager may offer a python3.13 that only prints an error, so each candidate has to run.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
  "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$p"; break; }; done)

.PHONY: help test demo check docs format clean
.DEFAULT_GOAL := help

help: ## show these targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile | expand -t 18

test: $(VENV)/.installed-test ## run the tests on all cores
	@# the child processes of the tests may write no bytecode, and each would compile what it imports
	@$(BIN)/python -m compileall -q analyzer plugins lsp
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

demo: $(VENV)/.installed-test ## one screen a door: the ranked report, one loop, a page, findings
	@$(call show,analyze examples --machine skylake-sp-6148)
	@$(call show,analyze examples examples/spmv.c:8 --machine skylake-sp-6148)
	@mkdir -p build
	@$(call show,analyze examples --machine skylake-sp-6148 --format html -o build/demo.html)
	@echo 'build/demo.html: the same for a browser'
	@$(call show,rooflint lint examples --machine skylake-sp-6148 --fail-on never)

show = printf '\n$$ %s\n\n' '$(1)'; $(BIN)/$(1)

check: $(VENV)/.installed-dev ## ruff, mypy and the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests docs/site editors/vscode/build_bundle.py
	MYPYPATH=benchmarks:tests:tests/fuzz $(BIN)/mypy benchmarks
	$(BIN)/lint-imports --no-logo

docs: $(VENV)/.installed-docs ## build the documentation's site in build/site/html
	$(BIN)/python docs/site/build.py

format: $(VENV)/.installed-dev ## let ruff format and mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the environment, builds and caches
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.installed-test: EXTRA := test
$(VENV)/.installed-dev: EXTRA := dev
$(VENV)/.installed-docs: EXTRA := docs
$(VENV)/.installed-%: pyproject.toml hatch_build.py analyzer/rooflint/replay/kernel.c machines/*.yaml analyzer/rooflint/machine/*.py
	@test -n "$(PYTHON)" || { echo "no Python >= 3.11 with venv and pip found: install one, or run 'make PYTHON=/path/to/python3.11'" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --editable '.[$(EXTRA)]'
	@touch $@
