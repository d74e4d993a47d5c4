:- use_module('../../prolog/lrnn_reader').
:- use_module('../../prolog/lrnn_store').
:- use_module(library(plunit)).

data(Text, Data) :-
    tmp_file_stream(File, Out, [encoding(utf8)]),
    write(Out, Text),
    close(Out),
    setup_call_cleanup(
        open(File, read, In, [encoding(utf8)]),
        read_data(In, 0, Data),
        ( close(In), delete_file(File) )).

template(Text, Template) :-
    setup_call_cleanup(
        open_string(Text, In),
        read_template(In, Template),
        close(In)).

faults(Text, Places) :-
    data(Text, data(_, _, _, _, Faults)),
    findall(Line:Column, member(fault(Line, Column, _), Faults), Places).

:- begin_tests(lrnn_reader, [cleanup(clear_store)]).

test(block, Names == ["d1"]) :-
    data("begin(model(d1)). c(a). query(p, 1). end(model(d1)).", data(blocks, Examples, Queries, [], [])),
    findall(Name, member(example(_, Name, _, _, _, _, _), Examples), Names),
    Queries = [query(1, p/0, [], "p", 1.0, 1)].
test(facts_are_stored, all(I-J == [1-2, 2-1])) :-
    data("begin(model(m)). e(a, b). e(b, a). e(a, b). end(model(m)).", _),
    lrnn_facts:'e/2'(1, I, J).
test(fold, Fold == 3) :-
    data("begin(model(m)). fold(3). end(model(m)).", data(_, [example(_, _, _, Fold, _, _, _)], _, _, [])).
test(no_blocks, Name == "example") :-
    data("c(a). query(p, 0).", data(single, [example(1, Name, _, _, _, _, _)], _, [], [])).
test(background, Clauses == 3) :-
    data("begin(model(m)). c(a). end(model(m)). d(X) :- c(X) ; e(X). f(b).", data(_, _, _, Background, [])),
    length(Background, Clauses).
test(two_faults, Places == [2:1, 3:1]) :-
    faults("begin(model(m)).\nc(X).\nquery(p, one).\nend(model(m)).\n", Places).
test(syntax_error_then_more, Places == [2:6, 4:1]) :-
    faults("begin(model(m)).\nc(a) d(b).\nc(b).\nc(Y).\nend(model(m)).\n", Places).
test(directive, Places == [1:1]) :-
    faults(":- shell(date).\nbegin(model(m)).\nend(model(m)).\n", Places).
test(not_closed, Places == [1:1]) :-
    faults("begin(model(m)).\nc(a).\n", Places).

test(rule, Rule == rule(1, 1, 0.5, false, atom(p, [variable('X')]), [atom(q, [variable('X'), constant("a")])], [])) :-
    template("0.5 :: p(X) :- q(X, a).", template([Rule], [], [])).
test(drawn_weight, W == "_") :-
    template("_ :: p.", template([rule(_, _, W, false, _, [], [])], _, [])).
test(fixed_weight, W-F == 2.0-true) :-
    template("fixed(2) :: p :- q.", template([rule(_, _, W, F, _, _, _)], _, [])).
test(guard_parts, Parts == ['', 'X', <, 'Y', '']) :-
    template("1.0 :: p :- q(X, Y), X < Y.", template([rule(_, _, _, _, _, _, [guard(Parts, [])])], _, [])).
test(negated, Negated == [r, 1]) :-
    template("1.0 :: p :- q(X), \\+ r(X).", template([rule(_, _, _, _, _, _, [guard(_, Negated)])], _, [])).
test(setting, Settings == [setting(1, 1, "steepness", "2.0")]) :-
    template("setting(steepness, 2.0).", template([], Settings, [])).
test(unsafe, [true(Line:Column == 1:1)]) :-
    template("1.0 :: p(X) :- q(Y).", template([], [], [fault(Line, Column, _)])).

:- end_tests(lrnn_reader).
