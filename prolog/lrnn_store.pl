:- module(lrnn_store,
          [ clear_store/0,
            fact_key/2,                 % +NameArity, -Key
            declare_data_predicate/1,   % +NameArity
            data_predicate/2,           % ?NameArity, ?Key
            next_identifier/2,          % +Identifier, -Next
            free_identifier/1,          % -Identifier
            store_example/6,            % +Example, +First, +Next, +Names, +Facts, +Soft
            store_query/3,              % +NameArity, +Example, +Identifiers
            set_queries/1,              % +Queries
            active_example/1,           % -Example
            set_active_examples/1,      % +Examples
            object_term/3,              % +Example, +Identifier, -Term
            object_identifier/3,        % +Example, +Term, -Identifier
            write_object_names/1,       % +Stream
            soft_fact/4,                % ?Key, ?Example, ?Identifiers, ?WeightIndex
            weight_values/1,            % -Weights
            soft_predicate/1            % ?NameArity
          ]).
:- use_module(library(ordsets), [ord_intersection/3]).
:- use_module(library(lists), [append/3, member/2, reverse/2]).

/** <module> Facts, objects and examples in memory

Every constant of an example is an *object* with an integer identifier that no
other example shares, so that Prolog's clause indexing on one argument is as
selective as it can be. The facts of predicate p/n stand in module `lrnn_facts`
as 'p/n'(Example, Identifier1, ..., IdentifierN), each once; queried atoms stand
in module `lrnn_queries` in the same way.

Identifiers are written to files as single character codes, so they keep out
of the range of surrogates.
*/

:- dynamic
    example/1,
    active_example/1,
    data_predicate/2,                   % Name/Arity, Key
    example_objects/3,                  % Example, First, names(Term, ...)
    created_object/3,                   % Identifier, Example, Term
    example_trie/2,                     % Example, Trie
    soft_fact/4,
    soft_predicate/1,
    weight_trie_/1,                     % Trie from weights to indices
    weight_value/1,                     % in the order of indices
    free_identifier/1.

free_identifier(1).

%!  clear_store is det.
%
%   Forget all examples, facts and objects.

clear_store :-
    forget_facts(lrnn_facts),
    forget_facts(lrnn_queries),
    forall(example_trie(_, Trie), trie_destroy(Trie)),
    retractall(example(_)),
    retractall(active_example(_)),
    retractall(data_predicate(_, _)),
    retractall(example_objects(_, _, _)),
    retractall(created_object(_, _, _)),
    retractall(example_trie(_, _)),
    retractall(soft_fact(_, _, _, _)),
    retractall(soft_predicate(_)),
    forall(weight_trie_(Trie), trie_destroy(Trie)),
    retractall(weight_trie_(_)),
    retractall(weight_value(_)),
    retractall(free_identifier(_)),
    assertz(free_identifier(1)).

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

%!  declare_data_predicate(+NameArity) is det.

declare_data_predicate(Predicate) :-
    data_predicate(Predicate, _),
    !.
declare_data_predicate(Name/Arity) :-
    fact_key(Name/Arity, Key),
    assertz(data_predicate(Name/Arity, Key)),
    Columns is Arity+1,
    dynamic(lrnn_facts:Key/Columns).

%!  next_identifier(+Identifier, -Next) is det.

next_identifier(0xD7FF, Next) :-
    !,
    Next = 0xE000.
next_identifier(Identifier, Next) :-
    Next is Identifier+1.

%!  store_example(+Example, +First, +Next, +Names, +Facts, +Soft) is det.
%
%   Store an example with objects First up to but not including Next, whose
%   terms are Names, last first. Facts are stored facts, repetitions allowed;
%   Soft is a list of soft(Fact, Weight) for facts whose weight is not 1.

store_example(Example, First, Next, Names, Facts0, Soft) :-
    assertz(example(Example)),
    assertz(active_example(Example)),
    reverse(Names, Terms),
    compound_name_arguments(Objects, names, Terms),
    assertz(example_objects(Example, First, Objects)),
    retractall(free_identifier(_)),
    assertz(free_identifier(Next)),
    sort(Facts0, Facts),
    (   Soft == []
    ->  store_facts(Facts)
    ;   findall(Fact, member(soft(Fact, _), Soft), SoftFacts),
        append(SoftFacts, Facts, All0),
        sort(All0, All),
        store_facts(All),
        sort(SoftFacts, SoftAtoms),
        ord_intersection(SoftAtoms, Facts, Both),
        findall(soft(Fact, 1.0), member(Fact, Both), Plain),
        append(Soft, Plain, Pairs0),
        sort(Pairs0, Pairs),
        store_soft(Pairs)
    ).

store_facts([]).
store_facts([Fact|Facts]) :-
    assertz(lrnn_facts:Fact),
    store_facts(Facts).

store_soft([]).
store_soft([soft(Fact, Weight)|Pairs]) :-
    Fact =.. [Key, Example|Identifiers],
    weight_index(Weight, Index),
    assertz(soft_fact(Key, Example, Identifiers, Index)),
    data_predicate(Predicate, Key),
    (   soft_predicate(Predicate)
    ->  true
    ;   assertz(soft_predicate(Predicate))
    ),
    !,
    store_soft(Pairs).

%   weight_index(+Weight, -Index) is det.
%
%   Distinct weights of facts are numbered from 1.

weight_index(Weight, Index) :-
    weight_trie(Trie),
    (   trie_lookup(Trie, Weight, Known)
    ->  Index = Known
    ;   predicate_property(weight_value(_), number_of_clauses(Count)),
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

%!  store_query(+NameArity, +Example, +Identifiers) is det.

store_query(Predicate, Example, Identifiers) :-
    fact_key(Predicate, Key),
    Fact =.. [Key, Example|Identifiers],
    functor(Fact, _, Columns),
    dynamic(lrnn_queries:Key/Columns),
    (   lrnn_queries:Fact
    ->  true
    ;   assertz(lrnn_queries:Fact)
    ).

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

%!  set_active_examples(+Examples) is det.
%
%   Ground only Examples, a list of examples or the atom `all`.

set_active_examples(all) :-
    predicate_property(example(_), number_of_clauses(Count)),
    predicate_property(active_example(_), number_of_clauses(Count)),
    !.
set_active_examples(Examples) :-
    retractall(active_example(_)),
    (   Examples == all
    ->  forall(example(Example), assertz(active_example(Example)))
    ;   forall(member(Example, Examples), assertz(active_example(Example)))
    ).

%!  object_term(+Example, +Identifier, -Term) is semidet.

object_term(Example, Identifier, Term) :-
    example_objects(Example, First, Objects),
    Identifier >= First,
    Position0 is Identifier-First+1,
    (   First =< 0xD7FF, Identifier >= 0xE000
    ->  Position is Position0-0x800
    ;   Position = Position0
    ),
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
        retract(free_identifier(New)),
        next_identifier(New, Next),
        assertz(free_identifier(Next)),
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
    next_identifier(Identifier, Next),
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
