:- module(lrnn_store,
          [ clear_store/0,
            fact_key/2,                 % +NameArity, -Key
            declare_data_predicate/2,   % +NameArity, -Number
            data_predicate/3,           % ?NameArity, ?Key, ?Number
            weighted_number/2,          % +Number, -Weighted
            weight_index/2,             % +Weight, -Index
            weight_values/1,            % -Weights
            store_example/4,            % +Example, +Names, +Facts, +Objects
            write_examples/2,           % +FactStream, +ObjectStream
            hold_facts/0,
            free_identifier/1,          % -Identifier
            set_queries/1,              % +Queries
            active_example/1,           % -Example
            set_active_examples/1,      % +Examples
            object_term/3,              % +Example, +Identifier, -Term
            object_identifier/3,        % +Example, +Term, -Identifier
            write_object_names/1        % +Stream
          ]).
:- use_module(library(lists), [member/2]).

/** <module> Facts, objects and examples in memory

Constants of an example are its *objects*. An example is stored as it is read:
the numbers of the predicates of its facts in one text, the places of their
objects in another, the first place being 1. That is how facts leave Prolog, and
it takes far less memory than clauses.

Where Prolog has to evaluate over facts, hold_facts/0 makes clauses of these
rows. Then every object has an integer identifier that no other example shares,
so that Prolog's clause indexing on one argument is as selective as it can be.
The facts of predicate p/n stand in module `lrnn_facts` as
'p/n'(Example, Identifier1, ..., IdentifierN), each once; queried atoms stand in
module `lrnn_queries` in the same way.

Identifiers are written to files as single character codes, so they keep out
of the range of surrogates.
*/

:- dynamic
    active_example/1,
    data_predicate/3,
    holder/6,                           % see register_holders/3
    example_rows/3,                     % Example, Facts, Objects: those not held
    example_objects/3,                  % Example, First, names(Term, ...)
    created_object/3,                   % Identifier, Example, Term
    example_trie/2,                     % Example, Trie
    weight_trie_/1,                     % Trie from weights to indices
    weight_value/1.                     % in the order of indices

%!  clear_store is det.
%
%   Forget all examples, facts and objects.

clear_store :-
    forget_facts(lrnn_facts),
    forget_facts(lrnn_queries),
    forall(example_trie(_, Trie), trie_destroy(Trie)),
    retractall(active_example(_)),
    retractall(data_predicate(_, _, _)),
    retractall(holder(_, _, _, _, _, _)),
    retractall(example_rows(_, _, _)),
    retractall(example_objects(_, _, _)),
    retractall(created_object(_, _, _)),
    retractall(example_trie(_, _)),
    forall(weight_trie_(Trie), trie_destroy(Trie)),
    retractall(weight_trie_(_)),
    retractall(weight_value(_)),
    forall(member(Flag, [lrnn_predicates, lrnn_weights]), flag(Flag, _, 0)),
    flag(lrnn_free_identifier, _, 1).

forget_facts(Module) :-
    forall(( current_predicate(Module:Name/Arity),
             functor(Head, Name, Arity),
             predicate_property(Module:Head, dynamic)
           ),
           retractall(Module:Head)).

%!  fact_key(+NameArity, -Key) is det.
%
%   Key is the name under which facts of NameArity are stored. It holds a
%   slash, so it can't be the name of a system predicate.

fact_key(Name/Arity, Key) :-
    atomic_list_concat([Name, /, Arity], Key).

%!  declare_data_predicate(+NameArity, -Number) is det.
%
%   A new predicate of facts. They have an even Number in rows, those with a
%   weight the next odd one.

declare_data_predicate(Name/Arity, Number) :-
    fact_key(Name/Arity, Key),
    flag(lrnn_predicates, Count, Count+1),
    Number is 2*Count,
    assertz(data_predicate(Name/Arity, Key, Number)),
    Columns is Arity+1,
    dynamic(lrnn_facts:Key/Columns),
    register_holders(Key, Arity, Number).

%!  weighted_number(+Number, -Weighted) is det.

weighted_number(Number, Weighted) :-
    Weighted is Number+1.

%   register_holders(+Key, +Arity, +Number)
%
%   Compile clauses that take the objects of a fact from those of an example and
%   give the fact as it is held. Offset is what identifiers are more than places.

register_holders(Key, Arity, Number) :-
    length(Identifiers, Arity),
    Fact =.. [Key, Example|Identifiers],
    holder_goals(Identifiers, Offset, Objects0, Objects, Goals),
    assertz((holder(Number, Example, Offset, Objects0, Objects, Fact) :- Goals)),
    weighted_number(Number, Weighted),
    assertz((holder(Weighted, Example, Offset, Objects0, Objects1, Fact) :-
                 Goals, Objects = [_|Objects1])).

holder_goals([], _, Objects, Objects, true).
holder_goals([Identifier|Identifiers], Offset, [Place|Objects0], Objects,
             (plus(Offset, Place, Identifier), Goals)) :-
    holder_goals(Identifiers, Offset, Objects0, Objects, Goals).

%!  store_example(+Example, +Names, +Facts, +Objects) is det.
%
%   Store an example. Names are the terms of its objects. Facts are the numbers of
%   the predicates of its facts, repetitions allowed; Objects the places of the
%   objects of each, with the index of its weight if it has one.

store_example(Example, Names, Facts, Objects) :-
    assertz(active_example(Example)),
    compound_name_arguments(Named, names, Names),
    compound_name_arity(Named, _, Count),
    take_identifiers(Count, First),
    assertz(example_objects(Example, First, Named)),
    largest_number(Count, Largest),
    numbers_text(Largest, Facts, FactText),
    numbers_text(Largest, Objects, ObjectText),
    assertz(example_rows(Example, FactText, ObjectText)).

%   take_identifiers(+Count, -First)
%
%   So many identifiers that follow each other, none of them of a surrogate.

take_identifiers(Count, First) :-
    free_identifier(Free),
    (   Free < 0xE000,
        Free+Count > 0xD800
    ->  First = 0xE000
    ;   First = Free
    ),
    flag(lrnn_free_identifier, _, First+Count).

%!  free_identifier(-Identifier) is det.
%
%   All identifiers of objects are smaller.

free_identifier(Identifier) :-
    flag(lrnn_free_identifier, Identifier, Identifier).

%   largest_number(+Count, -Largest)
%
%   No number in the rows of an example with Count objects is larger. Predicates and
%   weights are counted in flags: to be asked for its number_of_clauses, Prolog goes
%   through all clauses of a predicate.

largest_number(Count, Largest) :-
    flag(lrnn_predicates, Predicates, Predicates),
    flag(lrnn_weights, Weights, Weights),
    Largest is max(Count, max(2*Predicates, Weights)).

%   numbers_text(+Largest, +Numbers, -Text)
%
%   Text has a character for each of Numbers below 0xD000, so that it is free of
%   surrogates, and two for each of the others: 0xE000 and more for how often that
%   goes into it, and the rest.

numbers_text(Largest, Numbers, Text) :-
    (   Largest < 0xD000
    ->  string_codes(Text, Numbers)
    ;   numbers_codes(Numbers, Codes),
        string_codes(Text, Codes)
    ).

numbers_codes([], []).
numbers_codes([Number|Numbers], Codes) :-
    (   Number < 0xD000
    ->  Codes = [Number|Codes1]
    ;   High is 0xE000+Number//0xD000,
        Low is Number mod 0xD000,
        Codes = [High, Low|Codes1]
    ),
    numbers_codes(Numbers, Codes1).

%   text_numbers(+Largest, +Text, -Numbers)
%
%   Largest may have become larger since numbers_text/3.

text_numbers(Largest, Text, Numbers) :-
    string_codes(Text, Codes),
    (   Largest < 0xD000
    ->  Numbers = Codes
    ;   codes_numbers(Codes, Numbers)
    ).

codes_numbers([], []).
codes_numbers([Code|Codes0], [Number|Numbers]) :-
    (   Code < 0xE000
    ->  Number = Code,
        Codes = Codes0
    ;   Codes0 = [Low|Codes],
        Number is (Code-0xE000)*0xD000+Low
    ),
    codes_numbers(Codes, Numbers).

%!  write_examples(+FactStream, +ObjectStream) is det.
%
%   Write the rows of all examples, characters of numbers.

write_examples(FactStream, ObjectStream) :-
    forall(example_rows(_, Facts, Objects),
           ( write(FactStream, Facts),
             write(ObjectStream, Objects)
           )).

%!  hold_facts is det.
%
%   Make clauses of the facts of all examples, to evaluate over them, unless that
%   was done.

hold_facts :-
    forall(retract(example_rows(Example, FactText, ObjectText)),
           ( example_objects(Example, First, Named),
             compound_name_arity(Named, _, Count),
             largest_number(Count, Largest),
             text_numbers(Largest, FactText, Numbers),
             text_numbers(Largest, ObjectText, Objects),
             Offset is First-1,
             held(Numbers, Example, Offset, Objects, Facts0),
             sort(Facts0, Facts),
             assert_facts(Facts)
           )).

held([], _, _, [], []).
held([Number|Numbers], Example, Offset, Objects0, [Fact|Facts]) :-
    holder(Number, Example, Offset, Objects0, Objects, Fact),
    held(Numbers, Example, Offset, Objects, Facts).

assert_facts([]).
assert_facts([Fact|Facts]) :-
    assertz(lrnn_facts:Fact),
    assert_facts(Facts).

%!  weight_index(+Weight, -Index) is det.
%
%   Distinct weights of facts are numbered from 1.

weight_index(Weight, Index) :-
    weight_trie(Trie),
    (   trie_lookup(Trie, Weight, Known)
    ->  Index = Known
    ;   flag(lrnn_weights, Count, Count+1),
        Index is Count+1,
        trie_insert(Trie, Weight, Index),
        assertz(weight_value(Weight))
    ).

weight_trie(Trie) :-
    weight_trie_(Trie),
    !.
weight_trie(Trie) :-
    trie_new(Trie),
    assertz(weight_trie_(Trie)).

%!  weight_values(-Weights) is det.

weight_values(Weights) :-
    findall(Weight, weight_value(Weight), Weights).

%!  set_queries(+Queries) is det.
%
%   Queries are those of a list of Name/Arity-Rows, each row an example and the
%   identifiers of its objects, whatever was asked before.

set_queries(Queries) :-
    forget_facts(lrnn_queries),
    forall(( member(Predicate-Rows, Queries),
             member([Example|Identifiers], Rows)
           ),
           store_query(Predicate, Example, Identifiers)).

store_query(Predicate, Example, Identifiers) :-
    fact_key(Predicate, Key),
    Fact =.. [Key, Example|Identifiers],
    functor(Fact, _, Columns),
    dynamic(lrnn_queries:Key/Columns),
    (   lrnn_queries:Fact
    ->  true
    ;   assertz(lrnn_queries:Fact)
    ).

%!  set_active_examples(+Examples) is det.
%
%   Ground only Examples, a list of examples or the atom `all`.

set_active_examples(all) :-
    predicate_property(example_objects(_, _, _), number_of_clauses(Count)),
    predicate_property(active_example(_), number_of_clauses(Count)),
    !.
set_active_examples(Examples) :-
    retractall(active_example(_)),
    (   Examples == all
    ->  forall(example_objects(Example, _, _), assertz(active_example(Example)))
    ;   forall(member(Example, Examples), assertz(active_example(Example)))
    ).

%!  object_term(+Example, +Identifier, -Term) is semidet.

object_term(Example, Identifier, Term) :-
    example_objects(Example, First, Objects),
    Identifier >= First,
    Position is Identifier-First+1,
    arg(Position, Objects, Term0),
    !,
    Term = Term0.
object_term(_, Identifier, Term) :-
    created_object(Identifier, _, Term).

%!  object_identifier(+Example, +Term, -Identifier) is det.
%
%   The object of Example that is called Term, made when there is none yet.

object_identifier(Example, Term, Identifier) :-
    example_names(Example, Trie),
    (   trie_lookup(Trie, Term, Known)
    ->  Identifier = Known
    ;   check_size(Term),
        take_identifiers(1, New),
        trie_insert(Trie, Term, New),
        assertz(created_object(New, Example, Term)),
        Identifier = New
    ).

%   check_size(+Term)
%
%   Arithmetic makes integers that fill the memory; no name is that long.

check_size(Term) :-
    (   integer(Term),
        abs(Term) >= 1<<10000
    ->  throw(error(evaluation_error(too_large), _))
    ;   true
    ).

example_names(Example, Trie) :-
    example_trie(Example, Trie),
    !.
example_names(Example, Trie) :-
    trie_new(Trie),
    assertz(example_trie(Example, Trie)),
    (   example_objects(Example, First, Objects)
    ->  compound_name_arguments(Objects, _, Terms),
        insert_names(Terms, First, Trie)
    ;   true
    ).

insert_names([], _, _).
insert_names([Term|Terms], Identifier, Trie) :-
    trie_insert(Trie, Term, Identifier),
    Next is Identifier+1,
    insert_names(Terms, Next, Trie).

%!  write_object_names(+Stream) is det.
%
%   Write the objects of all examples as they were read, each name followed by
%   the control character RS.

write_object_names(Stream) :-
    forall(example_objects(_, _, Objects),
           ( compound_name_arguments(Objects, _, Terms),
             write_names(Terms, Stream)
           )).

write_names([], _).
write_names([Term|Terms], Stream) :-
    write_term(Stream, Term, [quoted(true)]),
    put_char(Stream, '\u001e'),
    write_names(Terms, Stream).
