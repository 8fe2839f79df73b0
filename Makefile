# The door to the project. Paths are relative, so the checkout may lie anywhere.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PERIOD ?= 2013-01-01
ARGS ?=
N ?= 20
SEED ?= 1
# Named, because var/ is only left out on its own in a git checkout.
SOURCES := include dags plugins tests benchmarks docs
PYTHON_BIN := .venv/bin/python
# Most tests wait for something, so three processes are right for two cores.
ALL_TESTS := --numprocesses 3
STACK := $(PYTHON_BIN) -m embedded_stack
# What was typed, so that an error can show it again with what would make it work.
export STACK_CALLED_AS := make $(MAKECMDGOALS) $(MAKEOVERRIDES)

.PHONY: help demo up down status test check bench chaos clean setup

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

demo: up ## run a real report (PERIOD=2013-07-04 does another day)
	@$(PYTHON_BIN) -m sample_services.demo --period "$(PERIOD)"

up: setup ## start everything and wait until it can be used
	@$(STACK) up

down: setup ## stop everything; data stays
	@$(STACK) down

status: setup ## show what runs and where
	@$(STACK) status || true  # the table says what does not run; make need not call it an error

test: setup ## run the tests (ARGS="tests/unit -k name")
	@$(PYTHON_BIN) -m pytest $(or $(ARGS),$(ALL_TESTS))

check: setup ## look at style, types and layers
	@.venv/bin/ruff check $(SOURCES)
	@.venv/bin/ruff format --check $(SOURCES)
	@.venv/bin/mypy
	@PYTHONPATH=plugins .venv/bin/lint-imports

bench: setup ## measure speed and memory
	@$(PYTHON_BIN) -m benchmarks $(ARGS)

chaos: setup ## break runs in seeded ways and check what must never happen (N=200 SEED=1)
	@$(PYTHON_BIN) -m tests.faults --runs "$(N)" --seed "$(SEED)" $(ARGS)

clean: ## stop everything, remove its data and all caches; .venv stays
	@if [ -x $(PYTHON_BIN) ]; then $(STACK) down; fi
	@echo "removing var/ and the caches of the tools"
	@rm -rf var .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

setup:
	@.ci/bootstrap
