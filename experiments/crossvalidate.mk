# Crossvalidation of a learner, one process a fold.
#
#     make crossvalidate DATA=file.pl [FOLDS=10] [SEED=1] [LEARNER=lrnn] [ARGS="..."] [NAME=...] -j2
#
# LEARNER           lrnn: learn-structure, paper: the same as in the paper; chain1, chain2, ...: train the template of
#                   make-template; nfoil, kfoil, forest, lightgbm: those of `lrnn baseline`
# ARGS              further options of the command that learns
# TEMPLATE_OPTIONS  further options of make-template, such as --clusters 5
# FOLD_OPTIONS      further options of all commands that choose folds, such as --no-group-duplicates
# NAME              the folder of the results in build/<data>/, LEARNER if not given
# PROCESSES         SWI-Prolog processes of each command
#
# Folds that are there are not done again, unless the data or a setting has changed. Folds given in the data win. Where
# there is no template for the data, such as chains of one object for a target of two, the file `impossible` says why.

LEARNER ?= lrnn
SEED ?= 1
ARGS ?=
FOLD_OPTIONS ?=
TEMPLATE_OPTIONS ?=
NAME ?= $(LEARNER)
PROCESSES ?= 1
IF_IMPOSSIBLE ?= exit 1

CV_DATA := build/$(patsubst %.pl,%,$(patsubst %.gz,%,$(notdir $(DATA))))
CV := $(CV_DATA)/$(NAME)
CV_STRUCTURE := $(filter lrnn paper,$(LEARNER))
CV_CLAUSES := $(filter nfoil kfoil,$(LEARNER))
CV_TREES := $(filter forest lightgbm,$(LEARNER))
CV_CHAIN := $(patsubst chain%,%,$(filter chain%,$(LEARNER)))
CV_MANUAL := $(lastword $(MAKEFILE_LIST))
CV_OURS := --folds --fold --seed --jobs -o --output --metrics --run-dir --group-duplicates --no-group-duplicates

ifneq ($(filter crossvalidate crossvalidate-folds,$(MAKECMDGOALS)),)
ifneq ($(words $(DATA)) $(words $(NAME)),1 1)
$(error names with spaces do not work here, such as DATA=$(DATA); make a link without spaces to the file)
endif
ifeq ($(wildcard $(DATA)),)
$(error there is no file $(DATA); name the data with DATA=file.pl)
endif
ifeq ($(CV_STRUCTURE)$(CV_CLAUSES)$(CV_TREES)$(if $(CV_CHAIN),$(shell expr $(CV_CHAIN) : '[1-9][0-9]*$$' >/dev/null && echo ok)),)
$(error LEARNER is lrnn, paper, chain1, chain2, chain3, nfoil, kfoil, forest or lightgbm, not $(LEARNER))
endif
ifneq ($(filter $(CV_OURS) $(CV_OURS:%=%=%),$(ARGS)),)
$(error make sets $(filter $(CV_OURS) $(CV_OURS:%=%=%),$(ARGS)) itself; leave it out of ARGS, and see $(CV_MANUAL))
endif
endif

.PHONY: crossvalidate crossvalidate-folds force
force:

# The folds of the data, or as many as were asked for; they are known only when the data have been read.
crossvalidate: install $(CV_DATA)/check.json $(if $(CV_CHAIN),$(CV)/template.pl)
	@if test -e $(CV)/impossible; then \
	    echo "$(CV): this can't be done: $$(cat $(CV)/impossible)" >&2; $(IF_IMPOSSIBLE); \
	fi; \
	numbers=$$($(BIN)/python -c 'import json, sys; given = json.load(open(sys.argv[1]))["folds"]; \
	    print(*sorted(map(int, given)) or range(1, int(sys.argv[2]) + 1))' $(CV_DATA)/check.json $(or $(FOLDS),10)) && \
	$(MAKE) --no-print-directory crossvalidate-folds FOLD_NUMBERS="$$numbers"

$(CV_DATA)/check.json: $(DATA) | $(INSTALLED)
	@mkdir -p $(@D)
	$(LRNN) check $(DATA) --json --quiet > $@.part
	@mv $@.part $@

# Each fold has a template of its own; this one shows that there is one for these data.
$(CV)/template.pl: $(DATA) | $(INSTALLED)
	@mkdir -p $(@D)
	@rm -f $(@D)/impossible
	@$(LRNN) make-template $(DATA) --chain $(CV_CHAIN) $(TEMPLATE_OPTIONS) --quiet -o $@ 2> $(@D)/messages; code=$$?; \
	if test $$code = 1; then rm -rf $(CV)/fold* $(CV)/summary.* && mv $(@D)/messages $(@D)/impossible; \
	else cat $(@D)/messages >&2; rm $(@D)/messages; exit $$code; fi

ifdef FOLD_NUMBERS

CV_FOLDS := $(FOLD_NUMBERS:%=$(CV)/fold%)
CV_PART = --folds $(lastword $(FOLD_NUMBERS)) --fold $* --seed $(SEED) $(FOLD_OPTIONS) --jobs $(PROCESSES)
CV_TIMED = $(BIN)/python experiments/timed.py $(@D)/log

crossvalidate-folds: $(CV)/summary.json $(CV)/summary.txt
	@cat $(CV)/summary.txt

$(CV)/summary.txt: $(CV_FOLDS:%=%/metrics.json)
	@$(LRNN) summarise $(CV_FOLDS) -o $@

$(CV)/summary.json: $(CV_FOLDS:%=%/metrics.json)
	@$(LRNN) summarise $(CV_FOLDS) --json -o $@ 2> /dev/null

# Results of other settings are removed, so that they are never mixed.
define CV_SETTINGS
data $(abspath $(DATA))
learner $(LEARNER)
folds $(FOLD_NUMBERS)
seed $(SEED)
fold options $(FOLD_OPTIONS)
template options $(if $(CV_CHAIN),$(TEMPLATE_OPTIONS))
further options $(ARGS)
endef
export CV_SETTINGS

$(CV)/settings: force
	@mkdir -p $(@D)
	@printf '%s\n' "$$CV_SETTINGS" > $@.part
	@if cmp -s $@.part $@; then rm $@.part; else rm -rf $(CV)/fold* && mv $@.part $@; fi

ifneq ($(CV_TREES),)

# No model: they learn and predict at once.
$(CV_FOLDS:%=%/metrics.json): $(CV)/fold%/metrics.json: $(DATA) $(CV)/settings
	@rm -rf $(@D)
	@mkdir -p $(@D)
	@echo 'fold $* of $(CV)'
	@$(CV_TIMED) learn $(LRNN) baseline $(LEARNER) $(DATA) $(CV_PART) $(ARGS) --metrics $@ -o $(@D)/predictions.tsv

else

$(CV_FOLDS:%=%/model.pl): $(CV)/fold%/model.pl: $(DATA) $(CV)/settings
	@rm -rf $(@D)
	@mkdir -p $(@D)
	@echo 'fold $* of $(CV)'
	@$(CV_LEARN)

ifneq ($(CV_CHAIN),)
CV_LEARN = $(LRNN) make-template $(DATA) $(CV_PART) --chain $(CV_CHAIN) $(TEMPLATE_OPTIONS) --quiet -o $(@D)/template.pl && \
    $(CV_TIMED) ground $(LRNN) ground $(@D)/template.pl $(DATA) $(CV_PART) -o $(@D)/grounding.npz && \
    $(CV_TIMED) learn $(LRNN) train $(@D)/grounding.npz --seed $(SEED) --history $(@D)/history.csv $(ARGS) -o $@ && \
    rm $(@D)/grounding.npz
else ifneq ($(CV_STRUCTURE),)
CV_LEARN = $(CV_TIMED) learn $(LRNN) learn-structure $(DATA) $(CV_PART) --run-dir $(@D)/run \
    $(if $(filter paper,$(LEARNER)),--as-in-the-paper) $(ARGS) -o $@
else
CV_LEARN = $(CV_TIMED) learn $(LRNN) baseline $(LEARNER) $(DATA) $(CV_PART) $(ARGS) -o $@
endif

$(CV_FOLDS:%=%/predictions.tsv): $(CV)/fold%/predictions.tsv: $(CV)/fold%/model.pl
	@$(CV_TIMED) predict $(LRNN) predict $< $(DATA) $(CV_PART) -o $@

$(CV_FOLDS:%=%/metrics.json): $(CV)/fold%/metrics.json: $(CV)/fold%/model.pl $(CV)/fold%/predictions.tsv
	@$(CV_TIMED) evaluate $(LRNN) evaluate $< $(DATA) $(CV_PART) --json -o $@

endif
endif
