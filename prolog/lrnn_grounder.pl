:- module(lrnn_grounder,
          [ clear_model/0,
            clear_extensions/0,
            define_background_facts/1,  % +Facts
            extend/3,                   % +Level, +Predicates, +Clauses
            crisp_goals/4,              % +NameArity, +Identifiers, +Example, -Goals
            flat/3,                     % +Atom0, -Atom, -Equations
            flat_goals/2,               % +Goals0, -Goals
            body_steps/6,               % +Goals, +Level, +Example, +Identity, +Bound, -Codes
            different_code/3,           % +Variables, +Bound, -Code
            bound_in/2,                 % +Bound, +Variable
            conjunction/2,              % +Goals, -Conjunction
            called_predicates/1         % -NameArities
          ]).
:- use_module(library(lists), [append/3, append/2, member/2, memberchk/2]).
:- use_module(library(apply), [exclude/3, include/3, maplist/3]).
:- use_module(library(error), [must_be/2]).
:- use_module(lrnn_language).
:- use_module(lrnn_store).

/** <module> The least Herbrand model

A predicate is looked up on three levels, the highest that defines it wins:

  - `derived`: predicates with rules in the template;
  - `crisp`: predicates with background clauses;
  - facts of the data, background facts.

extend/3 computes the extension of the predicates of one stratum and stores it
as facts; body_steps/6 compiles bodies that call them. Clauses are given over
terms. They are compiled to clauses over identifiers of objects
with the example as an additional first argument; guards are evaluated on the
terms of these objects.
*/

:- dynamic
    definition/3,                       % Level, Name/Arity, Module:Key
    stratum/2,                          % Name/Arity, Module:Key
    background_predicate/2.             % Name/Arity, Key

%!  clear_model is det.

clear_model :-
    clear_extensions,
    clear_module(lrnn_background),
    retractall(background_predicate(_, _)).

%!  clear_extensions is det.
%
%   Forget what extend/3 added; background facts stay.

clear_extensions :-
    abolish_all_tables,
    forall(member(Module, [lrnn_crisp, lrnn_derived, lrnn_scratch]),
           clear_module(Module)),
    retractall(definition(_, _, _)),
    retractall(stratum(_, _)).

clear_module(Module) :-
    forall(( current_predicate(Module:Name/Arity),
             functor(Head, Name, Arity),
             predicate_property(Module:Head, dynamic)
           ),
           retractall(Module:Head)).

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
            (   data_predicate(Predicate, Key, _), Kind = data
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
    term_variables(Arguments, Identifiers),
    copy_term(Identifiers-Arguments, Terms-CallArguments),
    Call =.. [Key|CallArguments],
    guard_code(Identifiers, Terms, lrnn_background:Call, Example, Goal).

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

%!  flat(+Atom0, -Atom, -Equations) is det.
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

%!  flat_goals(+Goals0, -Goals) is det.

flat_goals([], []).
flat_goals([Goal0|Goals0], Goals) :-
    goal_kind(Goal0, Kind),
    (   Kind == atom
    ->  flat(Goal0, Goal, Equations),
        append(Equations, [Goal|Goals1], Goals)
    ;   Goals = [Goal0|Goals1]
    ),
    flat_goals(Goals0, Goals1).

%   body_code(+Goals, +Level, +Example, +Identity, -Code)
%
%   Goals are flat and in order of evaluation. Identity are variables that
%   must take different objects.

body_code(Goals, Level, Example, Identity, Code) :-
    body_steps(Goals, Level, Example, Identity, [], Codes),
    conjunction(Codes, Code).

%!  body_steps(+Goals, +Level, +Example, +Identity, +Bound, -Codes) is det.
%
%   Compile each of Goals. That variables of Identity take different objects
%   is checked as soon as two of them are bound; Bound are those that are
%   bound already.

body_steps([], _, _, _, _, []).
body_steps([Goal|Goals], Level, Example, Identity, Bound0, [(Code, Checks)|Codes]) :-
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
    body_steps(Goals, Level, Example, Identity, Bound, Codes).

%!  conjunction(+Goals, -Conjunction) is det.

conjunction([], true).
conjunction([Goal|Goals], (Goal, Rest)) :-
    conjunction(Goals, Rest).

goal_code(Goal, Level, Example, Code) :-
    goal_kind(Goal, Kind),
    (   Kind == atom
    ->  resolve(Level, Goal, Example, Code)
    ;   Kind == negation
    ->  Goal = (\+ Atom0),
        flat(Atom0, Atom, Equations),
        body_code(Equations, crisp, Example, [], Before),
        resolve(crisp, Atom, Example, Inner),
        Code = (\+ (Before, Inner))
    ;   object_comparison(Goal, Code)
    ->  true
    ;   term_variables(Goal, Identifiers),
        copy_term(Identifiers-Goal, Terms-Guard),
        checked_guard(Guard, Call),
        guard_code(Identifiers, Terms, Call, Example, Code)
    ).

%   checked_guard(+Guard, -Call)
%
%   Arithmetic takes numbers only. Prolog would also evaluate objects that are
%   called `e` or `random(6)`, and strings of one character.

checked_guard(Guard, Call) :-
    (   arithmetic_guard(Guard, Expressions)
    ->  term_variables(Expressions, Inputs),
        Call = (lrnn_grounder:numbers(Inputs), system:Guard)
    ;   Call = system:Guard
    ).

numbers([]).
numbers([Input|Inputs]) :-
    (   number(Input)
    ->  numbers(Inputs)
    ;   must_be(number, Input)
    ).

%   object_comparison(+Guard, -Code) is semidet.
%
%   Guards between two variables that hold for terms as for identifiers.

object_comparison(Guard, Code) :-
    Guard =.. [Name, X, Y],
    var(X),
    var(Y),
    (   memberchk(Name, [\==, \=, dif])
    ->  Code = (X \== Y)
    ;   memberchk(Name, [==, =])
    ->  Code = (X = Y)
    ).

%!  bound_in(+Bound, +Variable) is semidet.

bound_in(Bound, Variable) :-
    variables_within([Variable], Bound).

%!  different_code(+Variables, +Bound, -Code) is det.
%
%   Variables take objects different from each other and from Bound.

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
    called_predicates(Late),
    ordered_goals(Goals, [], [], Late, Ordered0, Stuck),
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
        ordered_goals(Goals, Expected, [], Late, Ordered1, Stuck1),
        append(Ordered1, Stuck1, Ordered)
    ),
    body_code(Ordered, Level, Example, Identity, Code).

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

%!  called_predicates(-NameArities) is det.
%
%   The predicates that extend/3 left to be evaluated when they are called.

called_predicates(Predicates) :-
    findall(Predicate, definition(_, Predicate, lrnn_scratch:_), Predicates).

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

%!  crisp_goals(+NameArity, +Identifiers, +Example, -Goals) is det.
%
%   The ways an atom is true in Example without the template.

crisp_goals(Predicate, Identifiers, Example, Goals) :-
    below(derived, Predicate, Identifiers, Example, Goals).

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
