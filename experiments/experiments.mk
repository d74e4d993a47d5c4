# Crossvalidation of learners by `lrnn crossvalidate`, which has the folds, the processes and the results.
#
#     make crossvalidate DATA=file.pl [LEARNER=lrnn] [ARGS="--beam 3"] -j2
#     make experiments [DATA_DIR=folder] [DATASETS="a b"] [LEARNERS="lrnn nfoil"] [FOLDS=5] -j2
#
# Both:
# FOLDS, SEED  folds where the data give none, 10 for one learner and 5 for experiments; SEED="1 2 3" draws them thrice
# OPTIONS      further options of `lrnn crossvalidate`, such as --no-group-duplicates
# LAUNCH       words before each command of a fold, such as srun -n1 -c1; -j says how many run at a time
#
# crossvalidate: one learner on one file
# LEARNER      lrnn, paper, chain1, chain2, ..., nfoil, kfoil, forest, lightgbm; lrnn-wide is lrnn with results of its own
# ARGS         further options of the command that learns, ARGS_<learner> if not given
#
# experiments: all learners on all data sets of a folder, with the same folds, and a report
# DATA_DIR     a folder of files a.pl or a.pl.gz, or of folders a with files of their name in them; the bundled data if
#              not given
# DATASETS     names of data sets in DATA_DIR, such as a; all of them if not given
# LEARNERS     as LEARNER, each with the options in ARGS_<learner>; those below are there
#
# The templates are trained as long as it helps them, their chains do not turn back, and groundings are aggregated as in
# learned rules; with the paper's mean they are chain1-mean, chain2-mean, chain3-mean. Results that are there are not
# computed again. Where a learner fails, the others go on, and the report, build/experiments/report.html, says what is
# missing, and what can't be done.

LEARNER ?= lrnn
SEED ?= 1
ARGS ?= $(ARGS_$(LEARNER))
OPTIONS ?=
LAUNCH ?=
DATA_DIR ?= datasets
LEARNERS ?= lrnn paper nfoil kfoil forest lightgbm chain1 chain2 chain3
ARGS_lrnn-ensemble ?= --ensemble 5
ARGS_lrnn-pretrain ?= --pretrain
ARGS_lrnn-shallow ?= --layers 1
$(foreach chain,chain1 chain2 chain3,\
    $(eval ARGS_$(chain) ?= --epochs 800 --object-identity --aggregation sqrt)\
    $(eval ARGS_$(chain)-mean ?= --epochs 800 --object-identity --aggregation mean))

EX := build/experiments
EX_FILES = $(wildcard $(DATA_DIR)/$(1).pl $(DATA_DIR)/$(1).pl.gz $(DATA_DIR)/$(1)/$(1).pl $(DATA_DIR)/$(1)/$(1).pl.gz)
EX_NAMES = $(sort $(patsubst %.pl,%,$(patsubst %.gz,%,$(notdir $(wildcard $(DATA_DIR)/*.pl $(DATA_DIR)/*.pl.gz)))) \
    $(notdir $(patsubst %/,%,$(wildcard $(DATA_DIR)/*/))))
DATASETS ?= $(strip $(foreach name,$(EX_NAMES),$(if $(call EX_FILES,$(name)),$(name))))
EX_EXPECTED = $(DATASETS:%=--dataset %) $(LEARNERS:%=--learner %)
EX_RUN = $(LRNN) crossvalidate --folds $(or $(FOLDS),$(1)) $(SEED:%=--seed %) -o build $(OPTIONS) \
    --jobs $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),1) $(if $(LAUNCH),--launch '$(LAUNCH)')

ifneq ($(filter experiments,$(MAKECMDGOALS)),)
ifneq ($(words $(DATA_DIR)),1)
$(error name the folder of the data with DATA_DIR=folder; names with spaces do not work here)
endif
ifeq ($(DATASETS),)
$(error there are no files in $(DATA_DIR) whose names end in .pl or .pl.gz, nor folders with such files of their name)
endif
$(foreach data,$(DATASETS),$(if $(filter 1,$(words $(call EX_FILES,$(data)))),, \
    $(error one file $(data).pl or $(data).pl.gz is wanted in $(DATA_DIR), not: $(or $(call EX_FILES,$(data)),none))))
endif

.PHONY: crossvalidate experiments

crossvalidate: install
	$(call EX_RUN,10) --learner '$(LEARNER) $(ARGS)' '$(DATA)'

experiments: install
	@mkdir -p $(EX)
	$(call EX_RUN,5) $(foreach learner,$(LEARNERS),--learner '$(learner) $(ARGS_$(learner))') \
	    $(foreach data,$(DATASETS),$(call EX_FILES,$(data))); code=$$?; \
	$(LRNN) report build $(EX_EXPECTED) --quiet -o $(EX)/report.json && \
	$(LRNN) report build $(EX_EXPECTED) -o $(EX)/report.html || exit $$?; \
	test $$code = 0 || { echo 'some results are missing, see $(EX)/report.html' >&2; exit 1; }
