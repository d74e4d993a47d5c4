# The 188 molecules of mutagenesis as data: make mutagenesis

MUTAGENESIS := build/mutagenesis/mutagenesis.pl

.PHONY: mutagenesis
mutagenesis: install $(MUTAGENESIS)
	@echo 'The molecules are in $(MUTAGENESIS); try make crossvalidate DATA=$(MUTAGENESIS) -j2'

$(MUTAGENESIS): datasets/mutagenesis.py | $(INSTALLED)
	@mkdir -p $(@D)
	$(BIN)/python $< $@
