/** <module> Tests of the store
*/

:- use_module(library(plunit)).
:- use_module('../../prolog/lrnn_store').

:- begin_tests(store, [setup(clear_store), cleanup(clear_store)]).

test(keys, Keys == ['p/2', 'p/1/2', '\'/0']) :-
    maplist(fact_key, [p/2, 'p/1'/2, '\''/0], Keys).
test(identifiers_leave_out_surrogates, Next == 0xE000) :-
    next_identifier(0xD7FF, Next).
test(next_identifier, Next == 6) :-
    next_identifier(5, Next).

test(example,
     [ cleanup(clear_store),
       true(Terms-Free == [b, f(x), "s"]-4)
     ]) :-
    store_example(1, 1, 4, ["s", f(x), b], [], []),
    findall(Term, ( between(1, 3, Identifier), object_term(1, Identifier, Term) ), Terms),
    free_identifier(Free).

test(objects_beyond_surrogates,
     [ cleanup(clear_store),
       true(Terms == [a, b, c])
     ]) :-
    store_example(1, 0xD7FE, 0xE001, [c, b, a], [], []),
    findall(Term, ( member(Identifier, [0xD7FE, 0xD7FF, 0xE000]), object_term(1, Identifier, Term) ), Terms).

test(facts_once,
     [ cleanup(clear_store),
       all(X == [1, 2])
     ]) :-
    declare_data_predicate(p/1),
    store_example(1, 1, 3, [b, a], ['p/1'(1, 2), 'p/1'(1, 1), 'p/1'(1, 2)], []),
    lrnn_facts:'p/1'(1, X).

test(data_predicate,
     [ cleanup(clear_store),
       all(Predicate-Key == [(p/1)-'p/1', (p/2)-'p/2'])
     ]) :-
    maplist(declare_data_predicate, [p/1, p/2, p/1]),
    data_predicate(Predicate, Key).

test(soft,
     [ cleanup(clear_store),
       true(Found-Weights-Predicates == [[1]-0.5, [1]-1.0, [2]-0.5]-[0.5, 1.0]-[p/1])
     ]) :-
    declare_data_predicate(p/1),
    store_example(1, 1, 4, [c, b, a], ['p/1'(1, 1), 'p/1'(1, 3)],
                  [soft('p/1'(1, 1), 0.5), soft('p/1'(1, 2), 0.5), soft('p/1'(1, 2), 0.5)]),
    weight_values(Weights),
    findall(Identifiers-Weight,
            ( soft_fact('p/1', 1, Identifiers, Index),
              nth1(Index, Weights, Weight)
            ),
            Found),
    findall(Predicate, soft_predicate(Predicate), Predicates).

test(active_examples,
     [ cleanup(clear_store),
       true(Chosen-All == [2]-[1, 2])
     ]) :-
    store_example(1, 1, 2, [a], [], []),
    store_example(2, 2, 3, [a], [], []),
    set_active_examples([2]),
    findall(Example, active_example(Example), Chosen),
    set_active_examples(all),
    findall(Example, active_example(Example), All).

test(identifiers_of_terms,
     [ cleanup(clear_store),
       true([A, New, Again, Term] == [1, 3, 3, new(x)])
     ]) :-
    store_example(1, 1, 3, [b, a], [], []),
    object_identifier(1, a, A),
    object_identifier(1, new(x), New),
    object_identifier(1, new(x), Again),
    object_term(1, 3, Term).

test(new_objects_of_two_examples_differ,
     [ cleanup(clear_store),
       true(X-Y == 2-3)
     ]) :-
    store_example(1, 1, 2, [a], [], []),
    object_identifier(1, new, X),
    object_identifier(2, new, Y).

test(queries_apart_from_facts,
     [ cleanup(clear_store),
       all(X == [2])
     ]) :-
    declare_data_predicate('query p'/1),
    store_example(1, 1, 3, [b, a], ['query p/1'(1, 1)], []),
    store_query(p/1, 1, [2]),
    store_query(p/1, 1, [2]),
    lrnn_queries:'p/1'(1, X).

test(names,
     [ cleanup(clear_store),
       true(Terms == [a, 'A b', "t", '$VAR'(1), '\n\x1e\'])
     ]) :-
    store_example(1, 1, 4, ["t", 'A b', a], [], []),
    store_example(2, 4, 6, ['\n\x1e\', '$VAR'(1)], [], []),
    with_output_to(string(Text),
                   ( current_output(Stream),
                     write_object_names(Stream)
                   )),
    split_string(Text, "\x1e\", "", Names0),
    append(Names, [""], Names0),
    maplist(term_string, Terms, Names).

test(clear, Facts-Free == []-1) :-
    declare_data_predicate(p/1),
    store_example(1, 1, 2, [a], ['p/1'(1, 1)], []),
    store_query(p/1, 1, [1]),
    clear_store,
    findall(X, ( lrnn_facts:'p/1'(_, X) ; lrnn_queries:'p/1'(_, X) ), Facts),
    free_identifier(Free).

:- end_tests(store).
