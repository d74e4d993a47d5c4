:- use_module('../../prolog/lrnn_store').
:- use_module(library(plunit)).

%   Two examples: a, b with p(a), 0.5 :: p(b), p(b) twice; c with nothing.

two_examples :-
    clear_store,
    declare_data_predicate(p/1),
    store_example(1, 1, 3, [b, a], ['p/1'(1, 2), 'p/1'(1, 1), 'p/1'(1, 2)], [soft('p/1'(1, 2), 0.5)]),
    store_example(2, 3, 4, [f(x)], [], []).

:- begin_tests(lrnn_store, [setup(two_examples), cleanup(clear_store)]).

test(facts_once_and_sorted, Facts == [1-1, 1-2]) :-
    findall(E-I, lrnn_facts:'p/1'(E, I), Facts).
test(soft_with_plain, all(I-W == [[2]-0.5, [2]-1.0])) :-
    weight_values(Weights),
    soft_fact('p/1', 1, I, Index),
    nth1(Index, Weights, W).
test(soft_predicate, all(P == [p/1])) :-
    soft_predicate(P).
test(term, T == b) :-
    object_term(1, 2, T).
test(compound_term, T == f(x)) :-
    object_term(2, 3, T).
test(known_identifier, I == 1) :-
    object_identifier(1, a, I).
test(new_object_is_made_once, I == J) :-
    object_identifier(1, "new", I),
    object_identifier(1, "new", J),
    I >= 4,
    object_term(1, I, T),
    T == "new".
test(active, all(E == [2])) :-
    set_active_examples([2]),
    active_example(E).
test(all_active, all(E == [1, 2])) :-
    set_active_examples(all),
    active_example(E).
test(surrogates_are_left_out, Next == 0xE000) :-
    next_identifier(0xD7FF, Next).

:- end_tests(lrnn_store).
