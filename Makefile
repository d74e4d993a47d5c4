# Set-up, tests and runs of lrnn. `make` alone lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LRNN := $(BIN)/lrnn
INSTALLED := $(VENV)/.installed

# A run: `make evaluate DATA=file.pl TEMPLATE=template.pl [FOLD=1] [FOLDS=5] [TRAIN="--epochs 100"]`
DATA ?= datasets/molecules/molecules.pl
TEMPLATE ?= $(dir $(DATA))template.pl
FOLDS ?=
FOLD ?= 1
TRAIN ?=
RUN := build/$(basename $(basename $(notdir $(DATA))))/fold$(FOLD)
PART := $(if $(FOLDS),--folds $(FOLDS)) --fold $(FOLD)

# NeuraLogic has its own molecules and templates made for them; other files are taken where they are named.
PEER := build/peer
PEER_DATA := $(if $(filter file,$(origin DATA)),,$(DATA))
PEER_TEMPLATE := $(if $(filter file,$(origin TEMPLATE)),,--template $(TEMPLATE))
BENCHMARK ?=
MINUTES ?= 30

# Tests start hundreds of processes: the modules of each are compiled once, whatever the surroundings say.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install prolog demo test fuzz check docs evaluate clean
.PHONY: benchmark benchmark-start benchmark-grounding benchmark-search benchmark-structure benchmark-peer
.DELETE_ON_ERROR:
.PRECIOUS: %/model.pl

help:
	@echo 'make install     set everything up: SWI-Prolog, a virtual environment in $(VENV), lrnn in it'
	@echo 'make demo        learn rules from bundled data, show them, how good they are, and why'
	@echo 'make test        static checks and all tests; LRNN_DATA_DIR=folder adds those on real data'
	@echo 'make fuzz        [MINUTES=30]: look for inputs that break commands; findings go to build/fuzz'
	@echo 'make check       ruff and mypy only'
	@echo 'make evaluate    DATA=file.pl TEMPLATE=template.pl FOLD=1 [FOLDS=5]: ground, train, evaluate'
	@echo 'make benchmark   [DATA=molecules.pl.gz]: beside NeuraLogic and beside bare SWI-Prolog; its parts are'
	@echo '                 benchmark-start, benchmark-grounding, benchmark-search, benchmark-structure, benchmark-peer'
	@echo 'make crossvalidate  DATA=file.pl [FOLDS=10] [LEARNER=lrnn] -j2: all folds of a learner in one table'
	@echo 'make mutagenesis fetch 188 molecules and write them as data'
	@echo 'make experiments  [DATA_DIR=folder] [DATASETS="a b"] [LEARNERS="lrnn nfoil"] -j2: all learners on all data sets'
	@echo 'make docs        the documentation as a site in build/site'
	@echo 'make clean       remove what was built'

install: prolog $(INSTALLED)

prolog:
	@sh prolog/install.sh

$(INSTALLED): setup.cfg pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	    { echo 'Python 3.10 or newer is needed; name it with make PYTHON=...' >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || \
	    { echo 'A virtual environment could not be made; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: install
	@mkdir -p build/demo
	@echo '== Learn which trains go east, from 160 of 200'
	$(LRNN) learn-structure datasets/trains/trains.pl --folds 5 --fold 1 -o build/demo/trains.pl
	@echo '== Drop what does not matter on these trains, and see what is left'
	$(LRNN) simplify build/demo/trains.pl datasets/trains/trains.pl --folds 5 --fold 1 --quiet -o build/demo/small.pl \
	    > build/demo/dropped.txt
	@head -3 build/demo/dropped.txt
	@grep -e '^%' -e '::' build/demo/small.pl
	@echo '== How good it is on the other 40'
	$(LRNN) evaluate build/demo/small.pl datasets/trains/trains.pl --folds 5 --fold 1
	@echo '== Why the train t3 goes east'
	$(LRNN) explain build/demo/small.pl datasets/trains/trains.pl --example t3 --top 2 --depth 2
	@echo '== Train a hand-written template on molecules, and test it on others'
	$(MAKE) --no-print-directory evaluate

check: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Checks run beside the tests, and are shown if they fail.
test: install
	@mkdir -p build
	@$(MAKE) --no-print-directory check > build/check.txt 2>&1 & checks=$$!; \
	    $(BIN)/python -m pytest -q -n auto --dist worksteal; tests=$$?; \
	    wait $$checks || { cat build/check.txt; exit 1; }; exit $$tests

fuzz: install
	$(BIN)/python tests/fuzz.py --minutes $(MINUTES) -o build/fuzz

docs: $(INSTALLED)
	$(BIN)/python -m mkdocs build --strict --quiet
	@echo 'the site begins at build/site/index.html'

evaluate: install $(RUN)/metrics.json
	$(LRNN) show $(RUN)/metrics.json

$(RUN)/grounding.npz: $(TEMPLATE) $(DATA) | $(INSTALLED)
	@mkdir -p $(@D)
	$(LRNN) ground $(TEMPLATE) $(DATA) $(PART) -o $@

%/model.pl: %/grounding.npz | $(INSTALLED)
	$(LRNN) train $< $(TRAIN) --history $*/history.csv -o $@

%/metrics.json: %/model.pl | $(INSTALLED)
	$(LRNN) evaluate $< $(DATA) $(PART) --json -o $@

benchmark: benchmark-start benchmark-grounding benchmark-search benchmark-structure benchmark-peer

benchmark-start: install
	@mkdir -p build/benchmark
	$(BIN)/python benchmarks/startup.py $(DATA) > build/benchmark/startup.txt
	@cat build/benchmark/startup.txt

benchmark-grounding: install
	@mkdir -p build/benchmark
	$(BIN)/python benchmarks/grounding.py $(DATA) > build/benchmark/grounding.txt
	@cat build/benchmark/grounding.txt

benchmark-structure: install
	$(BIN)/python benchmarks/structure.py $(DATA) $(BENCHMARK) -o build/benchmark/structure

benchmark-search: install
	@mkdir -p build/benchmark
	$(BIN)/python benchmarks/search.py $(DATA) > build/benchmark/search.txt
	@cat build/benchmark/search.txt

benchmark-peer: install
	@sh benchmarks/install_peer.sh $(PYTHON) $(PEER)
	$(BIN)/python benchmarks/peer.py $(PEER_DATA) $(PEER_TEMPLATE) --peer $(PEER) $(BENCHMARK)

clean:
	rm -rf build dist $(VENV) *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

include experiments/mutagenesis.mk experiments/experiments.mk
