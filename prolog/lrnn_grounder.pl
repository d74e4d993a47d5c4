:- module(lrnn_grounder,
          [ clear_model/0,
            define_background_facts/1,  % +Facts
            extend/3,                   % +Level, +Predicates, +Clauses
            write_table/5,              % +Stream, +Body, +Variables, +Queried, +Identity
            write_facts/2,              % +Stream, +NameArity
            write_data_facts/2,         % +Stream, +NameArity
            write_soft_facts/2,         % +Stream, +NameArity
            wide_identifiers/0
          ]).
:- use_module(library(lists), [append/3, append/2, member/2, memberchk/2]).
:- use_module(library(apply), [exclude/3, include/3, maplist/2, maplist/3]).
:- use_module(lrnn_language).
:- use_module(lrnn_store).

/** <module> The least Herbrand model and its active groundings

A predicate is looked up on three levels, the highest that defines it wins:

  - `derived`: predicates with rules in the template;
  - `crisp`: predicates with background clauses;
  - facts of the data, background facts.

extend/3 computes the extension of the predicates of one stratum and stores it
as facts; write_table/5 enumerates the groundings of a body over them. Clauses
are given over terms. They are compiled to clauses over identifiers of objects
with the example as an additional first argument; guards are evaluated on the
terms of these objects.
*/

:- dynamic
    definition/3,                       % Level, Name/Arity, Module:Key
    stratum/2,                          % Name/Arity, Module:Key
    background_predicate/2.             % Name/Arity, Key

%!  clear_model is det.

clear_model :-
    abolish_all_tables,
    forall(( member(Module, [lrnn_crisp, lrnn_derived, lrnn_scratch, lrnn_background]),
             current_predicate(Module:Name/Arity),
             functor(Head, Name, Arity),
             predicate_property(Module:Head, dynamic)
           ),
           retractall(Module:Head)),
    retractall(definition(_, _, _)),
    retractall(stratum(_, _)),
    retractall(background_predicate(_, _)).

%!  define_background_facts(+Facts) is det.
%
%   Facts are ground atoms, true in every example. They stay terms: whatever
%   objects an example shares with them is found when they are called.

define_background_facts(Facts0) :-
    sort(Facts0, Facts),
    forall(member(Fact, Facts), define_background_fact(Fact)).

define_background_fact(Fact) :-
    Fact =.. [Name|Arguments],
    length(Arguments, Arity),
    (   background_predicate(Name/Arity, Key)
    ->  true
    ;   fact_key(Name/Arity, Key),
        dynamic(lrnn_background:Key/Arity),
        assertz(background_predicate(Name/Arity, Key))
    ),
    Stored =.. [Key|Arguments],
    assertz(lrnn_background:Stored).


		 /*******************************
		 *         COMPILATION          *
		 *******************************/

%   resolve(+Level, +Atom, +Example, -Goal) is det.
%
%   Goal enumerates the atoms over identifiers that are true in Example.

resolve(Level, Atom, Example, Goal) :-
    Atom =.. [Name|Arguments],
    length(Arguments, Arity),
    Predicate = Name/Arity,
    (   (   stratum(Predicate, Module:Key)
        ;   Level == derived,
            definition(derived, Predicate, Module:Key)
        ;   definition(crisp, Predicate, Module:Key)
        )
    ->  Call =.. [Key, Example|Arguments],
        Goal = Module:Call
    ;   base(Predicate, Arguments, Example, Goals),
        Goals = [Goal|_]
    ).

%   base(+Predicate, +Arguments, +Example, -Goals)
%
%   Goals are the ways a predicate is true without any clause. Only extend/3
%   meets more than one of them.

base(Predicate, Arguments, Example, Goals) :-
    findall(Kind-Key,
            (   data_predicate(Predicate, Key), Kind = data
            ;   background_predicate(Predicate, Key), Kind = background
            ),
            Ways),
    (   Ways == []
    ->  Goals = [fail]
    ;   maplist(base_goal(Arguments, Example), Ways, Goals)
    ).

base_goal(Arguments, Example, data-Key, lrnn_facts:Goal) :-
    Goal =.. [Key, Example|Arguments].
base_goal(Arguments, Example, background-Key, Goal) :-
    length(Arguments, Arity),
    length(Terms, Arity),
    Call =.. [Key|Terms],
    guard_code(Arguments, Terms, lrnn_background:Call, Example, Goal).

%   guard_code(+Identifiers, +Terms, +Call, +Example, -Code)

guard_code(Identifiers, Terms, Call, Example, (Before, Call, After)) :-
    before_code(Identifiers, Terms, Example, Before),
    after_code(Identifiers, Terms, Example, After).

before_code([], [], _, true).
before_code([Identifier|Identifiers], [Term|Terms], Example,
            (lrnn_grounder:known_term(Identifier, Example, Term), Code)) :-
    before_code(Identifiers, Terms, Example, Code).

after_code([], [], _, true).
after_code([Identifier|Identifiers], [Term|Terms], Example,
           (lrnn_grounder:known_identifier(Identifier, Example, Term), Code)) :-
    after_code(Identifiers, Terms, Example, Code).

known_term(Identifier, Example, Term) :-
    (   var(Identifier)
    ->  true
    ;   object_term(Example, Identifier, Term)
    ).

known_identifier(Identifier, Example, Term) :-
    (   nonvar(Identifier)
    ->  true
    ;   ground(Term)
    ->  object_identifier(Example, Term, Identifier)
    ;   throw(error(instantiation_error, _))
    ).

%   flat(+Atom0, -Atom, -Equations)
%
%   Replace arguments that are not variables, and repeated variables of a
%   head, by new variables that are equal to them.

flat(Atom0, Atom, Equations) :-
    Atom0 =.. [Name|Arguments0],
    flat_arguments(Arguments0, Arguments, Equations),
    Atom =.. [Name|Arguments].

flat_arguments([], [], []).
flat_arguments([Argument|Arguments0], [Argument|Arguments], Equations) :-
    var(Argument),
    !,
    flat_arguments(Arguments0, Arguments, Equations).
flat_arguments([Term|Arguments0], [Variable|Arguments], [Variable = Term|Equations]) :-
    flat_arguments(Arguments0, Arguments, Equations).

flat_goals([], []).
flat_goals([Goal0|Goals0], Goals) :-
    goal_kind(Goal0, Kind),
    (   Kind == atom
    ->  flat(Goal0, Goal, Equations),
        append(Equations, [Goal|Goals1], Goals)
    ;   Goals = [Goal0|Goals1]
    ),
    flat_goals(Goals0, Goals1).

%   body_code(+Goals, +Level, +Example, +Identity, +Bound, -Code)
%
%   Goals are flat and in order of evaluation. Identity are variables that
%   must take different objects, which is checked as soon as two are bound;
%   Bound are those of them that are bound already.

body_code([], _, _, _, _, true).
body_code([Goal|Goals], Level, Example, Identity, Bound0, (Code, Checks, Codes)) :-
    goal_code(Goal, Level, Example, Code),
    (   goal_kind(Goal, negation)
    ->  Checks = true,
        Bound = Bound0
    ;   term_variables(Goal, Variables),
        include(bound_in(Identity), Variables, Relevant),
        exclude(bound_in(Bound0), Relevant, New),
        different_code(New, Bound0, Checks),
        append(New, Bound0, Bound)
    ),
    body_code(Goals, Level, Example, Identity, Bound, Codes).

goal_code(Goal, Level, Example, Code) :-
    goal_kind(Goal, Kind),
    (   Kind == atom
    ->  resolve(Level, Goal, Example, Code)
    ;   Kind == negation
    ->  Goal = (\+ Atom0),
        flat(Atom0, Atom, Equations),
        body_code(Equations, crisp, Example, [], [], Before),
        resolve(crisp, Atom, Example, Inner),
        Code = (\+ (Before, Inner))
    ;   term_variables(Goal, Identifiers),
        copy_term(Identifiers-Goal, Terms-Call),
        guard_code(Identifiers, Terms, system:Call, Example, Code)
    ).

bound_in(Bound, Variable) :-
    variables_within([Variable], Bound).

different_code([], _, true).
different_code([Variable|Variables], Bound, (Code, Codes)) :-
    different_from(Bound, Variable, Code),
    different_code(Variables, [Variable|Bound], Codes).

different_from([], _, true).
different_from([Other|Others], Variable, (Variable \== Other, Code)) :-
    different_from(Others, Variable, Code).

%   clause_code(+Clause, +Level, +Example, -Arguments, -Code, -Safe)
%
%   Compile a clause(Head, Body, Identity) of a predicate, Identity being the
%   variables that must take different objects. Safe is true when it can be evaluated
%   without a bound argument. Otherwise the arguments that the body takes
%   apart or does not bind are expected to be bound.

clause_code(clause(Head0, Body, Identity), Level, Example, Arguments, Code, Safe) :-
    flat(Head0, Head, Equations),
    Head =.. [_|Arguments],
    body_goals(Body, Goals0),
    flat_goals(Goals0, Goals1),
    append(Equations, Goals1, Goals),
    ordered_goals(Goals, [], Ordered0, Stuck),
    exclude(is_negation, Ordered0, Positive),
    term_variables(Positive, Bound),
    (   Stuck == [],
        variables_within(Arguments, Bound)
    ->  Safe = true,
        Ordered = Ordered0
    ;   Safe = false,
        exclude(bound_in(Bound), Arguments, Free),
        exclude(ground_equation, Equations, Parts),
        maplist(arg(1), Parts, Taken),
        append(Free, Taken, Expected),
        ordered_goals(Goals, Expected, Ordered1, Stuck1),
        append(Ordered1, Stuck1, Ordered)
    ),
    body_code(Ordered, Level, Example, Identity, [], Code).

ground_equation(_ = Term) :-
    ground(Term).

is_negation(\+ _).


		 /*******************************
		 *          EXTENSIONS          *
		 *******************************/

%!  extend(+Level, +Predicates, +Clauses) is det.
%
%   Add the extension of Predicates, a list of Name/Arity that depend on each
%   other and on what is there already, for all active examples. Clauses are
%   all clauses that define them: clause(Head, Body, Identity) of a template,
%   background(Clause) of the background. Recursive ones are tabled meanwhile. When a
%   clause needs a bound argument, the predicates of the stratum are not
%   extended: they stay tabled and are evaluated when called.

extend(Level, Predicates, Clauses0) :-
    maplist(normal_clause, Clauses0, Clauses),
    setup_call_cleanup(
        declare_stratum(Predicates),
        (   stratum_ways(Level, Predicates, Clauses, Ways),
            forall(member(Way, Ways), define_way(Way)),
            (   memberchk(way(_, _, _, _, false), Ways)
            ->  table_stratum,
                forall(stratum(Predicate, Place),
                       assertz(definition(Level, Predicate, Place)))
            ;   (   recursive(Predicates, Clauses)
                ->  table_stratum
                ;   true
                ),
                store_stratum(Level, Predicates)
            )
        ),
        retractall(stratum(_, _))).

normal_clause(clause(Head, Body, Identity), clause(Head, Body, Identity)).
normal_clause(background(Clause), clause(Head, Body, [])) :-
    (   Clause = (Head :- Body)
    ->  true
    ;   Head = Clause,
        Body = true
    ).

declare_stratum(Predicates) :-
    flag(lrnn_stratum, Number, Number+1),
    forall(member(Name/Arity, Predicates),
           ( atomic_list_concat([Name, /, Arity, ' ', Number], Key),
             Columns is Arity+1,
             dynamic(lrnn_scratch:Key/Columns),
             assertz(stratum(Name/Arity, lrnn_scratch:Key))
           )).

table_stratum :-
    forall(stratum(_/Arity, Module:Key),
           ( Columns is Arity+1,
             table(Module:Key/Columns)
           )).

recursive(Predicates, Clauses) :-
    member(clause(_, Body, _), Clauses),
    body_goals(Body, Goals),
    member(Goal, Goals),
    goal_kind(Goal, atom),
    functor(Goal, Name, Arity),
    memberchk(Name/Arity, Predicates),
    !.

%   stratum_ways(+Level, +Predicates, +Clauses, -Ways)
%
%   Ways are terms way(Predicate, Example, Arguments, Code, Safe).

stratum_ways(Level, Predicates, Clauses, Ways) :-
    findall(way(Name/Arity, Example, Arguments, Code, Safe),
            (   member(Name/Arity, Predicates),
                length(Arguments, Arity),
                below(Level, Name/Arity, Arguments, Example, Goals),
                member(Code, Goals),
                Safe = true
            ;   member(Clause, Clauses),
                Clause = clause(Head, _, _),
                functor(Head, Name, Arity),
                clause_code(Clause, Level, Example, Arguments, Code, Safe)
            ),
            Ways).

%   below(+Level, +Predicate, +Arguments, +Example, -Goals)
%
%   The ways Predicate is true before Level adds to it.

below(derived, Predicate, Arguments, Example, [Module:Call]) :-
    definition(crisp, Predicate, Module:Key),
    !,
    Call =.. [Key, Example|Arguments].
below(_, Predicate, Arguments, Example, Goals) :-
    base(Predicate, Arguments, Example, Goals).

define_way(way(Predicate, Example, Arguments, Code, _)) :-
    stratum(Predicate, Module:Key),
    Head =.. [Key, Example|Arguments],
    assertz((Module:Head :- Code)).

store_stratum(Level, Predicates) :-
    level_module(Level, Target),
    forall(member(Name/Arity, Predicates),
           ( fact_key(Name/Arity, Key),
             Columns is Arity+1,
             dynamic(Target:Key/Columns)
           )),
    forall(active_example(Example),
           ( forall(member(Predicate, Predicates),
                    store_extension(Predicate, Example, Target)),
             abolish_all_tables
           )),
    forall(member(Name/Arity, Predicates),
           ( fact_key(Name/Arity, Key),
             assertz(definition(Level, Name/Arity, Target:Key)),
             stratum(Name/Arity, Module:ScratchKey),
             length(Arguments, Arity),
             Head =.. [ScratchKey, _|Arguments],
             retractall(Module:Head)
           )).

level_module(crisp, lrnn_crisp).
level_module(derived, lrnn_derived).

store_extension(Name/Arity, Example, Target) :-
    stratum(Name/Arity, Module:ScratchKey),
    fact_key(Name/Arity, Key),
    length(Arguments, Arity),
    Goal =.. [ScratchKey, Example|Arguments],
    Fact =.. [Key, Example|Arguments],
    findall(Fact, Module:Goal, Facts0),
    sort(Facts0, Facts),
    store_facts(Facts, Target).

store_facts([], _).
store_facts([Fact|Facts], Module) :-
    assertz(Module:Fact),
    store_facts(Facts, Module).


		 /*******************************
		 *        WRITING ROWS          *
		 *******************************/

%!  write_table(+Stream, +Body, +Variables, +Queried, +Identity) is det.
%
%   Write the groundings of Body in the active examples: for each the
%   identifiers of Variables. Queried is `none`, or an atom over Variables: then only
%   groundings are written for which that atom is queried. Identity are the
%   variables that must take different objects.

write_table(Stream, Body, Variables, Queried, Identity) :-
    body_goals(Body, Goals0),
    flat_goals(Goals0, Goals1),
    queried_code(Queried, Example, QueryCode, Known, Equations),
    append(Equations, Goals1, Goals),
    ordered_goals(Goals, Known, Ordered, Stuck),
    append(Ordered, Stuck, All),
    include(bound_in(Identity), Known, KnownDifferent),
    different_code(KnownDifferent, [], Different),
    body_code(All, derived, Example, Identity, KnownDifferent, BodyCode),
    row_code(Variables, Stream, RowCode),
    marker_code(Variables, Example, Stream, MarkerCode),
    run_writer((active_example(Example), MarkerCode, QueryCode, Different, BodyCode, RowCode)).

queried_code(none, _, true, [], []) :-
    !.
queried_code(Atom0, Example, lrnn_facts:Call, Known, Equations) :-
    flat(Atom0, Atom, Equations),
    Atom =.. [Name|Arguments],
    length(Arguments, Arity),
    fact_key(Name/Arity, Key0),
    atom_concat('query ', Key0, Key),
    Call =.. [Key, Example|Arguments],
    Columns is Arity+1,
    dynamic(lrnn_facts:Key/Columns),
    term_variables(Arguments, Known).

:- dynamic writer/0.

run_writer(Code) :-
    setup_call_cleanup(
        assertz((writer :- Code, fail), Clause),
        \+ writer,
        erase(Clause)).

%   Rows are sequences of character codes in an encoding of fixed width: an
%   identifier is one code, or two where identifiers are too many for one. A
%   row has at least three codes; one that starts with 0 says to which example
%   the rows after it belong.

%!  wide_identifiers is semidet.
%
%   Rows have two codes for each identifier.

wide_identifiers :-
    free_identifier(Next),
    Next > 0x10FFFF.

row_code(Variables, Stream, Code) :-
    (   wide_identifiers
    ->  wide_code(Variables, Stream, Codes, [])
    ;   narrow_code(Variables, Stream, Codes, [])
    ),
    length(Codes, Length),
    Missing is max(0, 3-Length),
    length(Padding, Missing),
    maplist(=(put_char(Stream, 0)), Padding),
    append(Codes, Padding, All),
    conjunction(All, Code).

narrow_code([], _, Codes, Codes).
narrow_code([Variable|Variables], Stream, [put_char(Stream, Variable)|Codes], Tail) :-
    narrow_code(Variables, Stream, Codes, Tail).

wide_code([], _, Codes, Codes).
wide_code([Variable|Variables], Stream,
          [lrnn_grounder:put_wide(Stream, Variable), true|Codes], Tail) :-
    wide_code(Variables, Stream, Codes, Tail).

put_wide(Stream, Identifier) :-
    High is (Identifier>>15)+1,
    Low is Identifier/\0x7fff,
    put_char(Stream, High),
    put_char(Stream, Low).

marker_code(Variables, Example, Stream, lrnn_grounder:put_marker(Stream, Example, Padding)) :-
    length(Variables, Count),
    (   wide_identifiers
    ->  Width = 2
    ;   Width = 1
    ),
    Padding is max(0, Count*Width-3).

put_marker(Stream, Example, Padding) :-
    put_char(Stream, 0),
    High is Example>>15,
    Low is Example/\0x7fff,
    put_char(Stream, High),
    put_char(Stream, Low),
    forall(between(1, Padding, _), put_char(Stream, 0)).

conjunction([], true).
conjunction([Goal|Goals], (Goal, Rest)) :-
    conjunction(Goals, Rest).

%!  write_facts(+Stream, +NameArity) is det.
%
%   Write the atoms of a predicate that are true in the active examples
%   without the template.

write_facts(Stream, Name/Arity) :-
    length(Variables, Arity),
    below(derived, Name/Arity, Variables, Example, Goals),
    write_solutions(Stream, Goals, Variables, Example).

%!  write_data_facts(+Stream, +NameArity) is det.
%
%   Write the facts that stand in the active examples themselves.

write_data_facts(Stream, Name/Arity) :-
    length(Variables, Arity),
    fact_key(Name/Arity, Key),
    Columns is Arity+1,
    dynamic(lrnn_facts:Key/Columns),
    base_goal(Variables, Example, data-Key, Goal),
    write_solutions(Stream, [Goal], Variables, Example).

write_solutions(Stream, Goals, Variables, Example) :-
    row_code(Variables, Stream, RowCode),
    marker_code(Variables, Example, Stream, MarkerCode),
    alternatives(Goals, Alternatives),
    run_writer((active_example(Example), MarkerCode, Alternatives, RowCode)).

alternatives([Goal], Goal) :-
    !.
alternatives([Goal|Goals], (Goal ; Rest)) :-
    alternatives(Goals, Rest).

%!  write_soft_facts(+Stream, +NameArity) is det.
%
%   Write facts with a weight other than 1, and other facts of the same atoms:
%   identifiers, then the index of the weight.

write_soft_facts(Stream, Name/Arity) :-
    fact_key(Name/Arity, Key),
    length(Variables, Arity),
    append(Variables, [Index], Columns),
    row_code(Columns, Stream, RowCode),
    marker_code(Columns, Example, Stream, MarkerCode),
    run_writer((active_example(Example), MarkerCode,
                soft_fact(Key, Example, Variables, Index), RowCode)).
