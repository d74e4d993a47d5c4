/** <module> Tests of the least Herbrand model
*/

:- use_module(library(plunit)).
:- use_module('../../prolog/lrnn_grounder').
:- use_module('../../prolog/lrnn_data').
:- use_module('../../prolog/lrnn_store').

:- begin_tests(grounder, [cleanup(( clear_model, clear_store ))]).

%   load(+Text): the facts of a text, without background clauses.

load(Text) :-
    clear_model,
    setup_call_cleanup(
        open_string(Text, Stream),
        read_data(Stream, 0, data(_, _, _, Background, [])),
        close(Stream)),
    hold_facts,
    findall(Fact, member(background(_, _, (Fact :- true)), Background), Facts),
    define_background_facts(Facts).

%   holds(+Level, +Atom): Atom over terms is true in an example.

holds(Level, Atom, Example) :-
    term_variables(Atom, Variables),
    copy_term(Variables-Atom, Identifiers-Flat0),
    flat_goals([Flat0], Goals),
    active_example(Example),
    body_steps(Goals, Level, Example, [], [], Codes),
    conjunction(Codes, Code),
    lrnn_grounder:call(Code),
    maplist(object_term(Example), Identifiers, Variables).

test(facts, all(X-E == [a-1, b-2])) :-
    load("begin(model(m)). p(a). end(model(m)). begin(model(n)). p(b). end(model(n))."),
    holds(derived, p(X), E).
test(background_facts_in_all_examples, all(X-E == [a-1, b-2, c-2])) :-
    load("begin(model(m)). p(a). end(model(m)). begin(model(n)). p(b). p(c). end(model(n)). q(a). q(b). q(c)."),
    extend(derived, [r/1], [clause(r(Y), (p(Y), q(Y)), [])]),
    holds(derived, r(X), E).
test(facts_of_both_kinds, set(X == [a, b])) :-
    load("begin(model(m)). p(a). end(model(m)). p(b)."),
    extend(crisp, [p/1], []),
    holds(crisp, p(X), _).
test(recursion, set(X-Y == [a-b, a-c, a-d, b-c, b-d, c-d])) :-
    load("e(a, b). e(b, c). e(c, d)."),
    extend(crisp, [path/2],
           [background((path(A, B) :- e(A, B))), background((path(A, B) :- path(A, C), e(C, B)))]),
    holds(crisp, path(X, Y), _).
test(recursion_over_a_cycle, set(X == [a, b, c])) :-
    load("e(a, b). e(b, c). e(c, a)."),
    extend(crisp, [path/2],
           [background((path(A, B) :- e(A, B))), background((path(A, B) :- path(A, C), path(C, B)))]),
    holds(crisp, path(a, X), _).
test(mutual_recursion, set(X == [0, 2, 4])) :-
    load("n(0). n(1). n(2). n(3). n(4)."),
    extend(crisp, [even/1, odd/1],
           [ background(even(0)),
             background((even(A) :- n(A), B is A-1, odd(B))),
             background((odd(A) :- n(A), B is A-1, even(B)))
           ]),
    holds(crisp, even(X), _).
test(negation, all(X == [b])) :-
    load("p(a). p(b). q(a)."),
    extend(crisp, [r/1], [background((r(A) :- p(A), \+ q(A)))]),
    holds(crisp, r(X), _).
test(negation_with_a_variable_of_its_own, all(X == [b])) :-
    load("p(a). p(b). e(a, c)."),
    extend(crisp, [r/1], [background((r(A) :- p(A), \+ e(A, _)))]),
    holds(crisp, r(X), _).
test(constants, all(X == [b])) :-
    load("e(a, b). e(c, d)."),
    extend(derived, [r/1], [clause(r(A), e(a, A), [])]),
    holds(derived, r(X), _).
test(constant_in_a_head, all(X-Y == [k-b, k-d])) :-
    load("e(a, b). e(c, d)."),
    extend(derived, [r/2], [clause(r(k, A), e(_, A), [])]),
    holds(derived, r(X, Y), _).
test(repeated_variable, all(X == [a])) :-
    load("e(a, a). e(a, b)."),
    extend(derived, [r/1], [clause(r(A), e(A, A), [])]),
    holds(derived, r(X), _).
test(new_objects, all(X == [2, 3])) :-
    load("n(1). n(2)."),
    extend(derived, [r/1], [clause(r(B), (n(A), B is A+1), [])]),
    holds(derived, r(X), _).
test(new_object_equals_the_one_of_the_data, all(X == [two])) :-
    load("n(1). name(2, two)."),
    extend(derived, [r/1], [clause(r(C), (n(A), B is A+1, name(B, C)), [])]),
    holds(derived, r(X), _).
test(object_identity, set(X-Y == [a-b, b-a])) :-
    load("p(a). p(b)."),
    extend(derived, [r/2], [clause(r(A, B), (p(A), p(B)), [A, B])]),
    holds(derived, r(X, Y), _).
test(levels, Crisp-Derived == [a]-[a, b]) :-
    load("begin(model(m)). p(a). q(b). end(model(m))."),
    extend(derived, [p/1], [clause(p(A), q(A), [])]),
    findall(X, holds(crisp, p(X), _), Crisp),
    findall(X, holds(derived, p(X), _), Derived0),
    msort(Derived0, Derived).
test(left_to_be_called, Called-X == [older/2]-[c]) :-
    load("age(a, 1). age(b, 2). age(c, 3)."),
    extend(crisp, [older/2], [background((older(A, B) :- A > B))]),
    called_predicates(Called),
    extend(derived, [r/1], [clause(r(P), (age(P, A), age(b, B), older(A, B)), [])]),
    findall(Y, holds(derived, r(Y), _), X).
test(taken_apart, all(X == [a, b])) :-
    load("l([a, b])."),
    extend(crisp, [in/2],
           [background((in(A, [A|_]) :- true)), background((in(A, [_|T]) :- in(A, T)))]),
    extend(derived, [r/1], [clause(r(A), (l(L), in(A, L)), [])]),
    holds(derived, r(X), _).
test(called_unbound, error(instantiation_error)) :-
    load("p(a)."),
    extend(crisp, [older/2], [background((older(A, B) :- A > B))]),
    holds(crisp, older(_, _), _).
test(arithmetic_on_names, error(type_error(number, e))) :-
    load("p(e)."),
    extend(derived, [r/1], [clause(r(A), (p(A), A < 3), [])]).
test(arithmetic_on_terms, error(type_error(number, random(6)))) :-
    load("p(random(6))."),
    extend(derived, [r/1], [clause(r(B), (p(A), B is A), [])]).
test(arithmetic_after_a_test, all(X == [1])) :-
    load("p(e). p(1). p(5)."),
    extend(derived, [r/1], [clause(r(A), (p(A), number(A), A < 3), [])]),
    holds(derived, r(X), _).
test(active_examples_only, all(E == [2])) :-
    load("begin(model(m)). p(a). end(model(m)). begin(model(n)). p(a). end(model(n))."),
    set_active_examples([2]),
    extend(derived, [r/1], [clause(r(A), p(A), [])]),
    set_active_examples(all),
    holds(derived, r(_), E).
test(other_templates, X == []) :-
    load("p(a)."),
    extend(derived, [r/1], [clause(r(A), p(A), [])]),
    clear_extensions,
    findall(Y, holds(derived, r(Y), _), X).
test(system_predicates_are_not_called, all(X == [a])) :-
    load("atom_length(a, b). halt(a)."),
    extend(derived, [r/1], [clause(r(A), (atom_length(A, _), halt(A)), [])]),
    holds(derived, r(X), _).

:- end_tests(grounder).
