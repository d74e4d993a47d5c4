:- module(lrnn_language,
          [ guard_builtin/1,            % ?NameArity
            control_construct/1,        % +NameArity
            body_goals/2,               % +Body, -Goals
            goal_kind/2,                % +Goal, -Kind
            not_an_atom/1,              % +Term
            too_wide/1,                 % +Arity
            arithmetic_guard/2,         % +Guard, -Expressions
            ordered_goals/4,            % +Goals, +Bound, -Ordered, -Stuck
            ordered_goals/6,            % +Goals, +Bound, +Known, +Late, -Ordered, -Stuck
            variables_within/2,         % +Variables, +Bound
            prolog_predicate/1          % +NameArity
          ]).
:- use_module(library(lists), [member/2, memberchk/2]).

/** <module> The language of clause bodies

What may stand in the body of a rule or of a background clause, and in which
order its goals can be evaluated. A goal is one of

  - an atom of a predicate that the data or the template define,
  - a guard: a pure built-in from the list below, or a negated atom.

Nothing else is ever called: this list is the whole of what an input file can
make Prolog do.
*/

%!  guard_builtin(?NameArity) is nondet.
%
%   The pure built-ins that bodies may use.

guard_builtin((=)/2).
guard_builtin((\=)/2).
guard_builtin((==)/2).
guard_builtin((\==)/2).
guard_builtin(dif/2).
guard_builtin((@<)/2).
guard_builtin((@=<)/2).
guard_builtin((@>)/2).
guard_builtin((@>=)/2).
guard_builtin((<)/2).
guard_builtin((=<)/2).
guard_builtin((>)/2).
guard_builtin((>=)/2).
guard_builtin((=:=)/2).
guard_builtin((=\=)/2).
guard_builtin((is)/2).
guard_builtin(between/3).
guard_builtin(true/0).
guard_builtin(fail/0).
guard_builtin(false/0).
guard_builtin(atom/1).
guard_builtin(atomic/1).
guard_builtin(compound/1).
guard_builtin(float/1).
guard_builtin(integer/1).
guard_builtin(number/1).
guard_builtin(string/1).

%!  control_construct(+NameArity) is semidet.
%
%   Constructs whose meaning depends on the order of execution.

control_construct(!/0).
control_construct((->)/2).
control_construct((*->)/2).
control_construct((\+)/1).
control_construct((;)/2).
control_construct((',')/2).
control_construct((:)/2).
control_construct(not/1).
control_construct(call/_).

%!  prolog_predicate(+NameArity) is semidet.
%
%   True for predicates that Prolog itself or its library defines.

prolog_predicate(Name/Arity) :-
    atom(Name),
    functor(Head, Name, Arity),
    (   predicate_property(system:Head, defined)
    ->  true
    ;   '$in_library'(Name, Arity, _)
    ->  true
    ).

%!  body_goals(+Body, -Goals) is det.
%
%   Goals are the members of the conjunction Body.

body_goals(Body, Goals) :-
    body_goals(Body, Goals, []).

body_goals(Goal, [Goal|Tail], Tail) :-
    var(Goal),
    !.
body_goals((A, B), Goals, Tail) :-
    !,
    body_goals(A, Goals, Rest),
    body_goals(B, Rest, Tail).
body_goals(true, Goals, Goals) :-
    !.
body_goals(Goal, [Goal|Tail], Tail).

%!  goal_kind(+Goal, -Kind) is det.
%
%   Kind is one of `atom`, `guard`, `negation`, or `fault(What)` with What one
%   of variable, not_callable, construct(NameArity), wide(NameArity),
%   impure(NameArity), unknown_function(NameArity), negated(Goal).

goal_kind(Goal, Kind) :-
    var(Goal),
    !,
    Kind = fault(variable).
goal_kind(Goal, Kind) :-
    not_an_atom(Goal),
    !,
    Kind = fault(not_callable).
goal_kind(\+ Goal, Kind) :-
    !,
    goal_kind(Goal, Inner),
    (   Inner == atom
    ->  Kind = negation
    ;   Inner = fault(construct((',')/2))
    ->  Kind = fault(negated(Goal))
    ;   Inner = fault(_)
    ->  Kind = Inner
    ;   Kind = fault(negated(Goal))
    ).
goal_kind((If ; _), Kind) :-
    nonvar(If),
    If = (_ -> _),
    !,
    Kind = fault(construct((->)/2)).
goal_kind(Goal, Kind) :-
    functor(Goal, Name, Arity),
    (   guard_builtin(Name/Arity)
    ->  (   function_fault(Goal, Fault)
        ->  Kind = fault(Fault)
        ;   Kind = guard
        )
    ;   control_construct(Name/Arity)
    ->  Kind = fault(construct(Name/Arity))
    ;   too_wide(Arity)
    ->  Kind = fault(wide(Name/Arity))
    ;   Kind = atom
    ).

%!  too_wide(+Arity) is semidet.
%
%   A predicate has more arguments than can be stored. Prolog takes 1024, and
%   we add a few of our own.

too_wide(Arity) :-
    Arity > 1000.

%!  not_an_atom(+Term) is semidet.
%
%   Term is neither a variable nor an atom of a predicate, but a number, a
%   string, a list, a dict, a term in braces or one with empty brackets.

not_an_atom(Term) :-
    nonvar(Term),
    (   \+ callable(Term)
    ->  true
    ;   is_dict(Term)
    ->  true
    ;   compound(Term),
        compound_name_arity(Term, Name, Arity),
        (   \+ atom(Name)
        ->  true
        ;   memberchk(Name/Arity, ['[|]'/2, {}/1, '.'/2, _/0])
        )
    ).

%   function_fault(+Guard, -Fault) is semidet.
%
%   Guard evaluates an arithmetic function that does not exist, or whose value
%   changes from call to call.

function_fault(Guard, Fault) :-
    arithmetic_guard(Guard, Expressions),
    member(Expression, Expressions),
    sub_expression(Expression, Term),
    (   not_an_atom(Term)
    ->  Fault = not_callable
    ;   functor(Term, Name, Arity),
        (   impure_function(Name/Arity)
        ->  Fault = impure(Name/Arity)
        ;   \+ current_arithmetic_function(Term)
        ->  Fault = unknown_function(Name/Arity)
        )
    ),
    !.

impure_function(random/1).
impure_function(random/0).
impure_function(random_float/0).
impure_function(cputime/0).
impure_function(realtime/0).
impure_function(max_tagged_integer/0).
impure_function(min_tagged_integer/0).

%!  arithmetic_guard(+Guard, -Expressions) is semidet.
%
%   Guard evaluates the terms Expressions as arithmetic.

arithmetic_guard(_ is Expression, [Expression]).
arithmetic_guard(X < Y, [X, Y]).
arithmetic_guard(X =< Y, [X, Y]).
arithmetic_guard(X > Y, [X, Y]).
arithmetic_guard(X >= Y, [X, Y]).
arithmetic_guard(X =:= Y, [X, Y]).
arithmetic_guard(X =\= Y, [X, Y]).

sub_expression(Expression, Expression) :-
    callable(Expression).
sub_expression(Expression, Sub) :-
    compound(Expression),
    arg(_, Expression, Argument),
    sub_expression(Argument, Sub).

%   guard_ready(+Guard, +Bound) is semidet.
%
%   Guard can be evaluated when the variables Bound are bound.

guard_ready(Guard, Bound) :-
    guard_inputs(Guard, Inputs),
    term_variables(Inputs, Needed),
    variables_within(Needed, Bound),
    !.

guard_inputs(_ is Expression, Expression) :-
    !.
guard_inputs(between(Low, High, _), Low-High) :-
    !.
guard_inputs(X = _, X).
guard_inputs(_ = Y, Y) :-
    !.
guard_inputs(Guard, Guard).

%!  variables_within(+Variables, +Bound) is semidet.

variables_within([], _).
variables_within([Variable|Variables], Bound) :-
    member(Known, Bound),
    Known == Variable,
    !,
    variables_within(Variables, Bound).

%!  ordered_goals(+Goals, +Bound, -Ordered, -Stuck) is det.
%!  ordered_goals(+Goals, +Bound, +Known, +Late, -Ordered, -Stuck) is det.
%
%   Ordered is Goals in an order of evaluation: guards and negations as soon
%   as their variables are bound, then atoms all of whose variables are bound,
%   then atoms that share a bound variable, then the first atom that is left.
%   Stuck are guards whose variables nothing binds. A negation waits for the
%   variables that it shares with other goals or with Bound; those that occur
%   in it alone are its own.
%
%   Variables Known have values, too, but these may be any objects: they select
%   atoms, and guards wait until an atom has confirmed them. Late are
%   predicates that may need bound arguments: as long as a variable of theirs
%   is not bound they come after all atoms that stand before them in Goals.

ordered_goals(Goals, Bound, Ordered, Stuck) :-
    ordered_goals(Goals, Bound, [], [], Ordered, Stuck).

ordered_goals([], _, _, _, [], []) :-
    !.
ordered_goals(Goals, Bound0, Known, Late, [Goal|Ordered], Stuck) :-
    next_goal(Goals, Bound0, Known, Late, Goal),
    !,
    remove_goal(Goals, Goal, Rest),
    (   goal_kind(Goal, negation)
    ->  Bound = Bound0
    ;   term_variables(Goal-Bound0, Bound)
    ),
    ordered_goals(Rest, Bound, Known, Late, Ordered, Stuck).
ordered_goals(Stuck, _, _, _, [], Stuck).

next_goal(Goals, Bound, _, _, Goal) :-
    member(Goal, Goals),
    goal_kind(Goal, Kind),
    (   Kind == guard
    ->  guard_ready(Goal, Bound)
    ;   Kind == negation
    ->  negation_ready(Goal, Goals, Bound)
    ).
next_goal(Goals, Bound, Known, _, Goal) :-
    term_variables(Bound-Known, Valued),
    member(Goal, Goals),
    goal_kind(Goal, atom),
    term_variables(Goal, Variables),
    Variables \== [],
    variables_within(Variables, Valued).
next_goal(Goals, Bound, Known, Late, Goal) :-
    term_variables(Bound-Known, Valued),
    member(Goal, Goals),
    goal_kind(Goal, atom),
    \+ late_atom(Goal, Late),
    shares_variable(Goal, Valued).
next_goal(Goals, Bound, _, Late, Goal) :-
    first_atom(Goals, Goal),
    late_atom(Goal, Late),
    shares_variable(Goal, Bound).
next_goal(Goals, _, _, Late, Goal) :-
    member(Goal, Goals),
    goal_kind(Goal, atom),
    \+ late_atom(Goal, Late).
next_goal(Goals, _, _, _, Goal) :-
    first_atom(Goals, Goal).

first_atom(Goals, Goal) :-
    member(Goal, Goals),
    goal_kind(Goal, atom),
    !.

late_atom(Goal, Late) :-
    functor(Goal, Name, Arity),
    memberchk(Name/Arity, Late).

shares_variable(Goal, Bound) :-
    term_variables(Goal, Variables),
    member(Variable, Variables),
    variables_within([Variable], Bound),
    !.

negation_ready(Goal, Goals, Bound) :-
    remove_goal(Goals, Goal, Others),
    term_variables(Goal, Variables),
    term_variables(Others, Elsewhere),
    \+ ( member(Variable, Variables),
         \+ variables_within([Variable], Bound),
         variables_within([Variable], Elsewhere)
       ).

remove_goal([Goal0|Goals], Goal, Rest) :-
    (   Goal0 == Goal
    ->  Rest = Goals
    ;   Rest = [Goal0|Rest1],
        remove_goal(Goals, Goal, Rest1)
    ).
