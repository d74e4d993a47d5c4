/** <module> Tests of the store
*/

:- use_module(library(plunit)).
:- use_module(library(readutil)).
:- use_module('../../prolog/lrnn_store').

:- begin_tests(store, [setup(clear_store), cleanup(clear_store)]).

test(keys, Keys == ['p/2', 'p/1/2', '\'/0']) :-
    maplist(fact_key, [p/2, 'p/1'/2, '\''/0], Keys).

%   rows_of(-Facts, -Objects)
%
%   Facts and Objects are the codes of what is written for all examples.

rows_of(Facts, Objects) :-
    tmp_file_stream(FactFile, FactStream, [encoding(utf8)]),
    tmp_file_stream(ObjectFile, ObjectStream, [encoding(utf8)]),
    write_examples(FactStream, ObjectStream),
    close(FactStream),
    close(ObjectStream),
    read_file_to_codes(FactFile, Facts, [encoding(utf8)]),
    read_file_to_codes(ObjectFile, Objects, [encoding(utf8)]),
    delete_file(FactFile),
    delete_file(ObjectFile).

test(example,
     [ cleanup(clear_store),
       true(Terms-Free == [b, f(x), "s"]-4)
     ]) :-
    store_example(1, [b, f(x), "s"], [], []),
    findall(Term, ( between(1, 3, Identifier), object_term(1, Identifier, Term) ), Terms),
    free_identifier(Free).

%   0xD7FE objects have the identifiers from 1 on, then there is room for one before the surrogates.

test(examples_begin_behind_surrogates,
     [ cleanup(clear_store),
       true(Terms-Free == [a, b, c]-0xE003)
     ]) :-
    numlist(1, 0xD7FE, Names),
    store_example(1, Names, [], []),
    store_example(2, [a, b], [], []),
    object_identifier(2, c, New),
    maplist(object_term(2), [0xE000, 0xE001, New], Terms),
    free_identifier(Free).

test(new_objects_leave_out_surrogates,
     [ cleanup(clear_store),
       true([A, B] == [0xD7FF, 0xE000])
     ]) :-
    numlist(1, 0xD7FE, Names),
    store_example(1, Names, [], []),
    object_identifier(1, a, A),
    object_identifier(1, b, B).

test(facts_once,
     [ cleanup(clear_store),
       all(X == [1, 2])
     ]) :-
    declare_data_predicate(p/1, Number),
    store_example(1, [a, b], [Number, Number, Number], [2, 1, 2]),
    hold_facts,
    hold_facts,
    lrnn_facts:'p/1'(1, X).

test(no_facts_before_they_are_held,
     [ cleanup(clear_store),
       fail
     ]) :-
    declare_data_predicate(p/1, Number),
    store_example(1, [a], [Number], [1]),
    lrnn_facts:'p/1'(1, _).

test(identifiers_of_held_facts,
     [ cleanup(clear_store),
       all(X-Y == [3-5, 5-4])
     ]) :-
    declare_data_predicate(p/0, Number0),
    declare_data_predicate(p/2, Number),
    store_example(1, [a, b], [Number0], []),
    store_example(2, [a, b, c], [Number, Number0, Number], [3, 2, 1, 3]),
    hold_facts,
    lrnn_facts:'p/2'(2, X, Y).

test(data_predicate,
     [ cleanup(clear_store),
       all(Predicate-Key-Number == [(p/1)-'p/1'-0, (p/2)-'p/2'-2])
     ]) :-
    maplist(declare_data_predicate, [p/1, p/2], _),
    data_predicate(Predicate, Key, Number).

test(weights,
     [ cleanup(clear_store),
       true(Indices-Weights == [1, 2, 1]-[0.5, 0.25])
     ]) :-
    maplist(weight_index, [0.5, 0.25, 0.5], Indices),
    weight_values(Weights).

%   What was stored before is not counted.

test(numbers_begin_anew,
     [ cleanup(clear_store),
       true([Index, Number, Weights] == [1, 0, [0.125]])
     ]) :-
    maplist(weight_index, [0.5, 0.25], _),
    declare_data_predicate(p/1, _),
    clear_store,
    weight_index(0.125, Index),
    declare_data_predicate(q/1, Number),
    weight_values(Weights).

test(rows,
     [ cleanup(clear_store),
       true(Rows-X == rows([0, 3, 0], [2, 1, 2, 1, 1])-[1, 2, 3])
     ]) :-
    declare_data_predicate(p/1, Number),
    declare_data_predicate(q/2, Number2),
    weighted_number(Number2, Weighted),
    weight_index(0.5, Index),
    store_example(1, [a, b], [Number, Weighted], [2, 1, 2, Index]),
    store_example(2, [a], [Number], [1]),
    rows_of(Facts, Objects),
    Rows = rows(Facts, Objects),
    hold_facts,
    findall(Y, ( lrnn_facts:'p/1'(_, Y) ; lrnn_facts:'q/2'(_, Y, 2) ), X0),
    sort(X0, X).

%   53248 is 0xD000: numbers from there on are two codes, what 0xD000 goes into them and the rest.

test(large_numbers,
     [ cleanup(clear_store),
       true(Rows-X == [1, 53247, 0xE001, 0, 0xE001, 2]-[1, 53247, 53248, 53250])
     ]) :-
    declare_data_predicate(p/1, Number),
    numlist(1, 53250, Names),
    store_example(1, Names, [Number, Number, Number, Number], [1, 53247, 53248, 53250]),
    rows_of(_, Rows),
    hold_facts,
    findall(Y, lrnn_facts:'p/1'(1, Y), X).

test(active_examples,
     [ cleanup(clear_store),
       true(Chosen-All == [2]-[1, 2])
     ]) :-
    store_example(1, [a], [], []),
    store_example(2, [a], [], []),
    set_active_examples([2]),
    findall(Example, active_example(Example), Chosen),
    set_active_examples(all),
    findall(Example, active_example(Example), All).

test(identifiers_of_terms,
     [ cleanup(clear_store),
       true([A, New, Again, Term] == [1, 3, 3, new(x)])
     ]) :-
    store_example(1, [a, b], [], []),
    object_identifier(1, a, A),
    object_identifier(1, new(x), New),
    object_identifier(1, new(x), Again),
    object_term(1, 3, Term).

test(new_objects_of_two_examples_differ,
     [ cleanup(clear_store),
       true(X-Y == 2-3)
     ]) :-
    store_example(1, [a], [], []),
    object_identifier(1, new, X),
    object_identifier(2, new, Y).

test(queries_apart_from_facts,
     [ cleanup(clear_store),
       all(X == [2])
     ]) :-
    declare_data_predicate('query p'/1, Number),
    store_example(1, [a, b], [Number], [1]),
    hold_facts,
    set_queries([p/1-[[1, 1]]]),
    set_queries([p/1-[[1, 2], [1, 2]]]),
    lrnn_queries:'p/1'(1, X).

test(names,
     [ cleanup(clear_store),
       true(Terms == [a, 'A b', "t", '$VAR'(1), '\n\x1e\'])
     ]) :-
    store_example(1, [a, 'A b', "t"], [], []),
    store_example(2, ['$VAR'(1), '\n\x1e\'], [], []),
    with_output_to(string(Text),
                   ( current_output(Stream),
                     write_object_names(Stream)
                   )),
    split_string(Text, "\x1e\", "", Names0),
    append(Names, [""], Names0),
    maplist(term_string, Terms, Names).

test(clear, Facts-Free == []-1) :-
    declare_data_predicate(p/1, Number),
    store_example(1, [a], [Number], [1]),
    hold_facts,
    set_queries([p/1-[[1, 1]]]),
    clear_store,
    findall(X, ( lrnn_facts:'p/1'(_, X) ; lrnn_queries:'p/1'(_, X) ), Facts),
    free_identifier(Free).

:- end_tests(store).
