# What people do with Overseer, one word each. Needs only make and Python >= 3.11; `make` alone explains.

VENV   = .venv
PYTHON =
ARGS   =
STEPS  = 1000000
SEEDS  = 500
FRAMES = 1000000
PAIRS  = 20000

# pip says so when it waits for the network or cannot build; the rest is noise.
PIP = $(VENV)/bin/python -m pip --disable-pip-version-check --quiet

.PHONY: help install dev web run demo test faults simulate secrets lint format rules soak fuzz bench mutants lock audit release clean

help:
	@echo 'Overseer keeps the fight at a tabletop table and lets anyone interrupt it, live.'
	@echo
	@echo '  make run        start a server with a sample table, watch a sample fight, take a seat yourself'
	@echo '                  (make run ARGS=--fast does not wait for human eyes; Ctrl-C ends everything)'
	@echo '  make demo       play the acceptance fight on a server of its own and check every step'
	@echo '                  (make demo ARGS="FILE --fast" plays a scenario file of yours)'
	@echo '  make install    only make .venv with the command .venv/bin/overseer in it'
	@echo '  make web        build the web pages anew if anything of them has changed (needs Node; all the above do it too)'
	@echo
	@echo '  make test       everything that checks the project'
	@echo '  make faults     cut the power, kill, freeze and cut off everything while people play; check what they saw'
	@echo '                  (up to 25 minutes; a short form is part of make test)'
	@echo '  make simulate   whole clusters in one process on a time of their own, everything breaking (make simulate SEEDS=5000)'
	@echo '  make secrets    tables in pairs that differ only in what a seat may not know; it must be sent the same bytes at both'
	@echo '                  (up to 25 minutes; make secrets PAIRS=100000; a short form is part of make test)'
	@echo '  make rules      every rule of the book, with the tests that prove it'
	@echo '  make soak       a million random commands; nothing that must hold may break (make soak STEPS=200000)'
	@echo '  make fuzz       a million frames that nobody should send; each gets its answer, nothing breaks, nobody waits'
	@echo '                  (up to 25 minutes; make fuzz FRAMES=100000)'
	@echo '  make lint       only the quick checks: ruff and mypy'
	@echo '  make format     lay out the code as the checks want it'
	@echo '  make bench      measure how fast it is on this machine'
	@echo '  make mutants    make 500 small errors in the rules, one by one, and count how many the tests notice'
	@echo '                  (make mutants ARGS="--seed 2": 500 others; ARGS=--help tells the rest)'
	@echo '  make release    wheel, source, JavaScript SDK and lists of all parts (SBOM) into dist (docs/release.md)'
	@echo '  make lock       what the image is made of, anew: every version, with its hashes'
	@echo '  make audit      ask whether something in it has a known hole'
	@echo '  make clean      remove .venv and what the tools left; tables are kept'
	@echo
	@echo 'Another Python than the first that fits: make install PYTHON=/path/to/python3.12'

install: $(VENV)/.installed web
dev: $(VENV)/.dev web

# Built when something of them has changed since; where there is no Node, it says so and that is all.
web: $(VENV)/.installed
	@$(VENV)/bin/python server/web/build.py

# The stamps say "made from this pyproject.toml". Playing needs no development tools.
$(VENV)/.installed: pyproject.toml
	@python='$(PYTHON)'; \
	if [ -z "$$python" ]; then \
	  for one in python3 python3.14 python3.13 python3.12 python3.11; do \
	    if "$$one" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$one; break; fi; \
	  done; \
	fi; \
	if [ -z "$$python" ]; then \
	  echo "Overseer needs Python 3.11 or newer; found: $$(python3 --version 2>/dev/null || echo none)." >&2; \
	  echo 'Install one (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python), or name it: make install PYTHON=/path/to/python3.12' >&2; \
	  exit 1; \
	fi; \
	if ! "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	  echo "Overseer needs Python 3.11 or newer; PYTHON=$$python is $$("$$python" --version 2>&1)." >&2; exit 1; \
	fi; \
	if ! "$$python" -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "$$python cannot make a virtual environment: its module venv is missing." >&2; \
	  echo 'On Debian and Ubuntu: apt install python3-venv' >&2; exit 1; \
	fi; \
	if ! $(VENV)/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	  echo "Making .venv with $$("$$python" --version 2>&1) (once, about 15 seconds) ..."; \
	  "$$python" -m venv --clear $(VENV) || exit 1; \
	fi
	@$(PIP) install --editable . || { echo 'The packages could not be installed; pip says why above. Once the cause is gone, run the same command again.' >&2; exit 1; }
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	@$(PIP) install --editable '.[dev]'
	@touch $@

# exec: no shell stands between make and the program, so that a signal reaches it at once and it ends what it started.
run: $(VENV)/.installed web
	@exec $(VENV)/bin/overseer run $(ARGS)

demo: $(VENV)/.installed
	@exec $(VENV)/bin/overseer demo $(ARGS)

bench: $(VENV)/.dev
	@exec $(VENV)/bin/python -m tests.bench $(ARGS)

lint: $(VENV)/.dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check --quiet .
	$(VENV)/bin/mypy core protocol server tests

# pytest comes last: its closing line is the result. Spread over all cores it takes half the time on two.
test: lint web
	$(VENV)/bin/pytest --numprocesses=auto --dist=worksteal $(ARGS)

faults: $(VENV)/.dev
	@exec $(VENV)/bin/python -m tests.faults $(ARGS)

simulate: $(VENV)/.dev
	@exec $(VENV)/bin/python -m tests.simulation --seeds $(SEEDS) $(ARGS)

secrets: $(VENV)/.dev
	@exec $(VENV)/bin/python -m tests.secrecy --pairs $(PAIRS) $(ARGS)

rules: $(VENV)/.dev
	@exec $(VENV)/bin/python -m tests.rules.report $(ARGS)

# A tool of its own that nothing else needs, so it is installed here.
mutants: $(VENV)/.mutants
	@exec $(VENV)/bin/python -m tests.mutants $(ARGS)

$(VENV)/.mutants: $(VENV)/.dev
	@$(PIP) install --editable '.[mutants]'
	@touch $@

soak: $(VENV)/.dev
	@exec $(VENV)/bin/python -m tests.walk --steps $(STEPS) $(ARGS)

fuzz: $(VENV)/.dev
	@exec $(VENV)/bin/python -m tests.fuzz --frames $(FRAMES) $(ARGS)

format: $(VENV)/.dev
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

# The lock names every version and hash, for every platform and Python; no registry: whoever installs has one of their own.
UV_LOCK = $(VENV)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --custom-compile-command 'make lock'

lock: $(VENV)/.release
	$(UV_LOCK) pyproject.toml --output-file deploy/requirements.lock
	$(UV_LOCK) --group pyproject.toml:image-build --output-file deploy/build.lock

audit: $(VENV)/.release
	$(VENV)/bin/pip-audit --disable-pip --require-hashes --requirement deploy/requirements.lock $(ARGS)

# sdist, wheel, the SDK, and what all of it is made of. A release without its web pages, or with half an SBOM, is none.
release: $(VENV)/.release
	rm -rf dist
	OVERSEER_WEB=require $(VENV)/bin/python -m build --outdir dist .
	npm ci && npm pack --workspace protocol/js --pack-destination dist
	$(VENV)/bin/cyclonedx-py requirements deploy/requirements.lock --pyproject pyproject.toml \
	  --output-reproducible --output-file dist/overseer-vtt.python.cdx.json
	npm sbom --sbom-format cyclonedx --package-lock-only > dist/overseer-vtt.web.cdx.json
	cd dist && sha256sum *.* > SHA256SUMS

$(VENV)/.release: $(VENV)/.installed
	@$(PIP) install --editable '.[release]'
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist mutants node_modules server/web/dist protocol/js/dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
