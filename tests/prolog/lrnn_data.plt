/** <module> Tests of reading data
*/

:- use_module(library(plunit)).
:- use_module('../../prolog/lrnn_data').
:- use_module('../../prolog/lrnn_store').

:- begin_tests(data, [cleanup(clear_store)]).

data(Text, Data) :-
    data(Text, 0, Data).

data(Text, LineOffset, Data) :-
    setup_call_cleanup(
        open_string(Text, Stream),
        read_data(Stream, LineOffset, Data),
        close(Stream)).

facts(Text, Fact) :-
    data(Text, data(_, _, _, _, [])),
    hold_facts,
    data_predicate(Name/Arity, Key, _),
    length(Identifiers, Arity),
    Stored =.. [Key, Example|Identifiers],
    lrnn_facts:Stored,
    maplist(object_term(Example), Identifiers, Terms),
    Fact =.. [Name|Terms].

faults(Text, Faults) :-
    data(Text, data(_, _, _, _, Faults)).

test(examples, Form-Examples ==
               blocks-[example(1, "a", 1, 0, 2, 2), example(2, "'B c'", 5, 3, 1, 1)]) :-
    data("begin(model(a)).\np(x).\np(y).\nend(model(a)).\n\c
          begin(model('B c')).\nfold(3). p(x).\nend(model('B c')).\n",
         data(Form, Examples, [], [], [])).
test(single, Form-Examples == single-[example(1, "example", 2, 0, 1, 1)]) :-
    data("% comment\np(a).\n", data(Form, Examples, [], [], [])).
test(nothing, Form-Examples == single-[]) :-
    data("% comment\n", data(Form, Examples, [], [], [])).
test(line_offset, [Example, Query, Line] == [11, 12, 14]) :-
    data("begin(model(a)).\nquery(p, 1).\nend(model(a)).\nq(X) :- r(X).\n", 10,
         data(_, [example(_, _, Example, _, _, _)], [query(_, _, _, _, _, Query)],
              [background(Line, 1, _)], [])).
test(facts, set(Fact == [p(a), q(a, "s"), r([1, 2.5|f(x)]), s])) :-
    facts("p(a). q(a, \"s\"). r([1, 2.5|f(x)]). s. p(a).", Fact).
test(facts_called_like_bounds, set(Fact == [begin(x), end(x)])) :-
    facts("begin(model(m)). begin(x). end(x). end(model(m)).", Fact).
test(system_names_are_plain, set(Fact == [shell(x), halt, '$VAR'(1)])) :-
    facts("shell(x). halt. '$VAR'(1).", Fact).
test(queries, Queries == [ query(1, p/1, [1], "p(a)", 1.0, 1),
                           query(1, q/0, [], "q", -2.0, 1)
                         ]) :-
    data("query(p(a), 1). query(q, -2).", data(_, _, Queries, [], [])).
test(long_query_text, Text == "p([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])") :-
    data("query(p([1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]), 1).",
         data(_, _, [query(_, _, _, Text, _, _)], [], [])).
test(weights, Weights == [0.5]) :-
    data("0.5 :: p(a). p(a). 1 :: p(b).", data(_, _, _, _, [])),
    weight_values(Weights).
test(background, Background =@= [ background(4, 1, (q(c) :- true)),
                                  background(4, 7, (r(X) :- p(X), \+ q(X)))
                                ]) :-
    data("begin(model(a)).\np(x).\nend(model(a)).\nq(c). r(X) :- p(X),\n\\+ q(X).",
         data(_, _, _, Background, [])).
test(disjunctions_are_unfolded, Bodies =@= [(p(X), q(X)), (p(Y), r(Y))]) :-
    data("s(X) :- p(X), ( q(X) ; r(X) ).", data(_, _, _, Background, [])),
    findall(Body, member(background(_, _, (_ :- Body)), Background), Bodies).
test(clauses_of_a_single_example, Clause =@= (q(X) :- p(X))) :-
    data("p(a). q(X) :- p(X).", data(single, [_], _, [background(1, 7, Clause)], [])).
test(reading_again_forgets, set(Fact == [p(b)])) :-
    data("p(a). q(a).", _),
    facts("p(b).", Fact).

test(no_directive_runs, Faults-Value == [fault(1, 1, "the directive `:- nb_setval(lrnn_canary, 1)` is not run; delete it, files hold facts and clauses only")]-0) :-
    nb_setval(lrnn_canary, 0),
    faults(":- nb_setval(lrnn_canary, 1).", Faults),
    nb_getval(lrnn_canary, Value).
test(no_operator_takes_effect, true) :-
    faults(":- op(700, xfx, lrnn_test_operator).", [_]),
    \+ current_op(_, _, lrnn_syntax:lrnn_test_operator).
test(names_of_variables, Message == "the fact p(X, _Y, _, f(X)) is not ground; names that start with a capital letter or _ are variables, quote them") :-
    faults("p(X, _Y, _, f(X)).", [fault(1, 1, Message)]).
test(all_faults_in_order, Lines == [1, 2, 4]) :-
    faults("p(X).\np(a b).\np(b).\n5.", Faults),
    findall(Line, member(fault(Line, _, _), Faults), Lines).
test(unclosed, Faults == [fault(0, 0, "syntax error: this quote is never closed")]) :-
    faults("begin(model(a)).\np('b).\n", Faults).
test(end_of_file, Faults == [fault(1, 1, "end_of_file. stands before the end of the file; delete it")]) :-
    faults("end_of_file.\np(a).", Faults).
test(one_fault_for_a_template, [true(Fault == fault(1, 1, "the weighted rule for p(X) belongs in a template; is this file one? The template comes first, then the data"))]) :-
    faults("1 :: p(X) :- q(X).\n2 :: p(X) :- r(X).", [Fault]).

:- end_tests(data).
