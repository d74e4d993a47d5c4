:- module(lrnn_rows,
          [ write_table/6,              % +Streams, +Body, +Variables, +Queried, +Identity, -Levels
            write_facts/3,              % +Streams, +NameArity, -Levels
            limited_rows/2,             % +Most, :Goal
            wide_identifiers/0
          ]).
:- use_module(library(lists), [append/3, nth0/3]).
:- use_module(library(apply), [exclude/3, include/3, maplist/3]).
:- use_module(lrnn_grounder).
:- use_module(lrnn_language).
:- use_module(lrnn_store).

/** <module> Write groundings as rows of integers

Solutions of a conjunction share their beginnings: each solution of the first
goal has several of the second, and so on. So rows are written in levels, each
to a stream of its own. Level 0 are the examples; every further level belongs
to a goal that binds new variables and has one record of their identifiers for
each of its solutions. A 0 in the stream of a level says that the level above
has come to its next record. Only the records of the last level are complete
rows.

Integers are single character codes in an encoding of fixed width, the fastest
that Prolog can write. Examples, and identifiers once they are too many for one
code, are two codes.
*/

:- meta_predicate limited_rows(+, 0).

:- dynamic
    writer/0,
    most_rows/1.

%!  write_table(+Streams, +Body, +Variables, +Queried, +Identity, -Levels) is det.
%
%   Write the groundings of Body in the active examples: for each the
%   identifiers of Variables. Queried is `none`, or an atom over Variables:
%   then only groundings are written for which that atom is queried. Identity
%   are the variables that must take different objects. Levels are for each
%   level after the examples the positions in Variables of what it writes.

write_table(Streams, Body, Variables, Queried, Identity, Levels) :-
    body_goals(Body, Goals0),
    flat_goals(Goals0, Goals1),
    queried_step(Queried, Example, Identity, QuerySteps, Known, Equations),
    append(Equations, Goals1, Goals),
    called_predicates(Late),
    ordered_goals(Goals, [], Known, Late, Ordered, Stuck),
    append(Ordered, Stuck, All),
    include(bound_in(Identity), Known, KnownDifferent),
    body_steps(All, derived, Example, Identity, KnownDifferent, Codes),
    goal_steps(All, Codes, Steps0),
    append(QuerySteps, Steps0, Steps),
    write_steps(Streams, Steps, Variables, Example, Levels).

goal_steps([], [], []).
goal_steps([Goal|Goals], [Code|Codes], [step(Bound, Code)|Steps]) :-
    (   goal_kind(Goal, negation)
    ->  Bound = []
    ;   term_variables(Goal, Bound)
    ),
    goal_steps(Goals, Codes, Steps).

queried_step(none, _, _, [], [], []) :-
    !.
queried_step(Atom0, Example, Identity, [step(Known, (lrnn_queries:Call, Different))], Known, Equations) :-
    flat(Atom0, Atom, Equations),
    Atom =.. [Name|Arguments],
    length(Arguments, Arity),
    fact_key(Name/Arity, Key),
    Call =.. [Key, Example|Arguments],
    Columns is Arity+1,
    dynamic(lrnn_queries:Key/Columns),
    term_variables(Arguments, Known),
    include(bound_in(Identity), Known, KnownDifferent),
    different_code(KnownDifferent, [], Different).

%!  write_facts(+Streams, +NameArity, -Levels) is det.
%
%   Write the atoms of a predicate that are true in the active examples
%   without the template.

write_facts(Streams, Name/Arity, Levels) :-
    length(Variables, Arity),
    crisp_goals(Name/Arity, Variables, Example, Goals),
    alternatives(Goals, Code),
    write_steps(Streams, [step(Variables, Code)], Variables, Example, Levels).

alternatives([Goal], Goal) :-
    !.
alternatives([Goal|Goals], (Goal ; Rest)) :-
    alternatives(Goals, Rest).

%   write_steps(+Streams, +Steps, +Variables, +Example, -Levels)
%
%   Steps are step(Bound, Code): goals in order of evaluation and the variables
%   that each binds.

write_steps(Streams, Steps, Variables, Example, Levels) :-
    length(Streams, Most),
    divide(Steps, Variables, part([], []), Most, [Examples|Parts]),
    Examples = part([], Codes),
    Streams = [Stream|Rest],
    conjunction(Codes, Code),
    next_mark(Parts, Rest, Mark),
    parts_code(Parts, Rest, PartsCode),
    maplist(part_columns(Variables), Parts, Levels),
    run_writer(( lrnn_store:active_example(Example),
                 Code,
                 lrnn_rows:put_pair(Stream, Example),
                 Mark,
                 PartsCode
               )).

run_writer(Code) :-
    setup_call_cleanup(
        assertz((writer :- Code, fail), Clause),
        \+ writer,
        erase(Clause)).

%!  limited_rows(+Most, :Goal) is nondet.
%
%   Call Goal, in which a level may have about Most records, those of the level
%   above included. More of them are an error(too_many_rows(Most), _). They are
%   counted wherever the level above comes to its next record, not one by one.

limited_rows(Most, Goal) :-
    setup_call_cleanup(
        asserta(most_rows(Most), Clause),
        call(Goal),
        erase(Clause)).

check_rows(Stream, Codes, Most) :-
    character_count(Stream, Count),
    (   Count > Codes
    ->  throw(error(too_many_rows(Most), _))
    ;   true
    ).

%   divide(+Steps, +Columns, +Part, +Most, -Parts)
%
%   A step that binds columns begins a new part, as long as there are no more
%   than Most. A part is part(Columns, Codes).

divide([], _, Part, _, [Part]).
divide([step(Bound, Code)|Steps], Columns, part(New0, Codes0), Most, Parts) :-
    include(bound_in(Bound), Columns, New),
    exclude(bound_in(New), Columns, Left),
    (   ( New == [] ; Most =:= 1 )
    ->  append(New0, New, New1),
        append(Codes0, [Code], Codes1),
        divide(Steps, Left, part(New1, Codes1), Most, Parts)
    ;   Parts = [part(New0, Codes0)|Parts1],
        Fewer is Most-1,
        divide(Steps, Left, part(New, [Code]), Fewer, Parts1)
    ).

parts_code([], _, true).
parts_code([part(Columns, Codes)|Parts], [Stream|Streams], (Code, Puts, Mark, Rest)) :-
    conjunction(Codes, Code),
    put_code(Columns, Stream, Puts),
    next_mark(Parts, Streams, Mark),
    parts_code(Parts, Streams, Rest).

next_mark([], _, true).
next_mark([part(Columns, _)|_], [Stream|_], (put_char(Stream, 0), Check)) :-
    (   most_rows(Most)
    ->  length(Columns, Width),
        (   wide_identifiers
        ->  Codes is 2*Most*Width
        ;   Codes is Most*Width
        ),
        Check = lrnn_rows:check_rows(Stream, Codes, Most)
    ;   Check = true
    ).

part_columns(Variables, part(Columns, _), Positions) :-
    maplist(position(Variables), Columns, Positions).

position(Variables, Variable, Position) :-
    nth0(Position, Variables, Other),
    Other == Variable,
    !.

put_code([], _, true).
put_code([Variable|Variables], Stream, (Put, Rest)) :-
    (   wide_identifiers
    ->  Put = lrnn_rows:put_pair(Stream, Variable)
    ;   Put = put_char(Stream, Variable)
    ),
    put_code(Variables, Stream, Rest).

put_pair(Stream, Integer) :-
    High is (Integer>>15)+1,
    Low is (Integer/\0x7fff)+1,
    put_char(Stream, High),
    put_char(Stream, Low).

%!  wide_identifiers is semidet.
%
%   Identifiers are written as two codes.

wide_identifiers :-
    free_identifier(Next),
    Next > 0x10FFFF.
