# Everything runs in a virtual environment of its own, .venv unless told otherwise.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LINKS := $(VENV)/links/anchorlight

.PHONY: run test check fast lint types soak bench bench-million compat screenshots clean

run: $(READY) ## install, and open the program
	$(BIN)/anchorlight

test: lint types $(READY) ## everything that CI runs
	$(BIN)/python -m pytest

check: lint types fast ## what to run before a commit: style, types, fast tests

fast: $(READY)
	$(BIN)/python -m pytest -m "not terminal" --ignore tests/store/proofs

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

# The folders are called plainly in the repository; the type checker knows them by their names.
types: $(READY)
	mkdir -p $(LINKS)
	for part in store tui seeds; do ln -sfn $(CURDIR)/$$part $(LINKS)/$$part; done
	MYPYPATH=$(VENV)/links $(BIN)/mypy -p anchorlight.store -p anchorlight.tui -p anchorlight.seeds

soak: $(READY) ## the proofs that nothing saved is lost, ten times as long
	ANCHORLIGHT_SOAK=10 $(BIN)/python -m pytest tests/store/proofs

# All of them run, also where one misses a limit; then it fails.
bench: $(READY) ## measure writes, search and screen against their floors, up to 100,000 papers
	missed=0; \
	for part in marks formats screen search screen_sizes; do \
		$(BIN)/python bench/$$part.py || missed=1; \
	done; \
	exit $$missed

bench-million: $(READY) ## a million papers: whether it works, and what each costs
	$(BIN)/python bench/million.py

compat: $(READY) ## the store's tests on the other distributions of Whoosh
	for whoosh in "Whoosh==2.7.4" whoosh3; do \
		rm -rf $(VENV)-compat && $(PYTHON) -m venv $(VENV)-compat && \
		$(VENV)-compat/bin/pip install --quiet . pytest pytest-asyncio pytest-randomly hypothesis && \
		$(VENV)-compat/bin/pip uninstall --quiet --yes Whoosh-Reloaded && \
		$(VENV)-compat/bin/pip install --quiet --force-reinstall --no-deps "$$whoosh" cached-property && \
		$(VENV)-compat/bin/python -m pytest -q tests/store || exit 1; \
	done

screenshots: $(READY) ## draw the pictures of the README from the program itself
	$(BIN)/python docs/screenshots.py

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable ".[dev]"
	touch $@

clean:
	rm -rf .venv .venv-compat build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache bench/out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
