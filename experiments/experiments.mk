# The experiments of the paper: all learners on all data sets of a folder, with the same folds, and a report.
#
#     make experiments [DATA_DIR=folder] [DATASETS="a b"] [LEARNERS="lrnn nfoil"] [FOLDS=5] [SEED=1] -j2
#
# DATA_DIR     a folder of files a.pl or a.pl.gz, or of folders a with files of their name in them; the bundled data if
#              not given
# DATASETS     names of data sets in DATA_DIR, such as a; all of them if not given
# LEARNERS     those of `make crossvalidate`. A name such as lrnn-shallow is the learner before the hyphen with the
#              options in ARGS_lrnn-shallow; those below are there
#
# The templates are trained as long as it helps them, their chains do not turn back, and groundings are aggregated as in
# learned rules: chain1, chain2, chain3 have the options ARGS_chain1 and so on, and the TEMPLATE_OPTIONS below. With the
# paper's mean they are chain1-mean, chain2-mean, chain3-mean.
#
# Results that are there are not computed again. Where a learner fails, the others go on, and the report,
# build/experiments/report.html, says what is missing, and what can't be done.

DATA_DIR ?= datasets
EX_FILES = $(wildcard $(DATA_DIR)/$(1).pl $(DATA_DIR)/$(1).pl.gz $(DATA_DIR)/$(1)/$(1).pl $(DATA_DIR)/$(1)/$(1).pl.gz)
EX_NAMES = $(sort $(patsubst %.pl,%,$(patsubst %.gz,%,$(notdir $(wildcard $(DATA_DIR)/*.pl $(DATA_DIR)/*.pl.gz)))) \
    $(notdir $(patsubst %/,%,$(wildcard $(DATA_DIR)/*/))))
DATASETS ?= $(strip $(foreach name,$(EX_NAMES),$(if $(call EX_FILES,$(name)),$(name))))
LEARNERS ?= lrnn paper nfoil kfoil forest lightgbm chain1 chain2 chain3
ARGS_lrnn-ensemble ?= --ensemble 5
ARGS_lrnn-pretrain ?= --pretrain
ARGS_lrnn-shallow ?= --layers 1
ARGS_chain1 ?= --epochs 800
ARGS_chain2 ?= --epochs 800
ARGS_chain3 ?= --epochs 800
ARGS_chain1-mean ?= $(ARGS_chain1)
ARGS_chain2-mean ?= $(ARGS_chain2)
ARGS_chain3-mean ?= $(ARGS_chain3)
TEMPLATE_OPTIONS_chain1-mean ?= --object-identity --aggregation mean
TEMPLATE_OPTIONS_chain2-mean ?= --object-identity --aggregation mean
TEMPLATE_OPTIONS_chain3-mean ?= --object-identity --aggregation mean

EX := build/experiments
EX_CHECKS := $(DATASETS:%=experiment-check/%)
EX_PAIRS := $(foreach data,$(DATASETS),$(LEARNERS:%=experiment/$(data)/%))
EX_EXPECTED := $(DATASETS:%=--dataset %) $(LEARNERS:%=--learner %)

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

.PHONY: experiments experiments-start $(EX_CHECKS) $(EX_PAIRS)

experiments: $(EX_PAIRS)
	$(LRNN) report build $(EX_EXPECTED) --quiet -o $(EX)/report.json
	$(LRNN) report build $(EX_EXPECTED) -o $(EX)/report.html
	@test ! -e $(EX)/failed || { echo 'some results are missing, see $(EX)/report.html' >&2; exit 1; }

experiments-start: install
	@mkdir -p $(EX)
	@rm -f $(EX)/failed

# Data are read before learners run side by side.
$(EX_CHECKS): experiment-check/%: experiments-start
	@$(MAKE) --no-print-directory build/$*/check.json DATA=$(call EX_FILES,$*) || touch $(EX)/failed

$(EX_PAIRS): experiment/%: $(EX_CHECKS)
	@$(MAKE) --no-print-directory --keep-going crossvalidate DATA=$(call EX_FILES,$(*D)) NAME=$(*F) \
	    LEARNER=$(firstword $(subst -, ,$(*F))) IF_IMPOSSIBLE='exit 0' FOLDS=$(or $(FOLDS),5) ARGS='$(ARGS_$(*F))' \
	    TEMPLATE_OPTIONS='$(or $(TEMPLATE_OPTIONS_$(*F)),$(TEMPLATE_OPTIONS),--object-identity --aggregation sqrt)' || touch $(EX)/failed
