/** <module> Tests of the language of clause bodies
*/

:- use_module(library(plunit)).
:- use_module('../../prolog/lrnn_language').

:- begin_tests(body_goals).

test(conjunction, Goals == [a, b, c(X)]) :-
    body_goals((a, (b, c(X))), Goals).
test(true, Goals == [a]) :-
    body_goals((true, a, true), Goals).
test(empty, Goals == []) :-
    body_goals(true, Goals).
test(variable, Goals == [X]) :-
    body_goals(X, Goals).
test(disjunction_is_one_goal, Goals == [(a ; b)]) :-
    body_goals((a ; b), Goals).

:- end_tests(body_goals).

:- begin_tests(goal_kind).

test(atom, all(Kind == [atom, atom, atom])) :-
    member(Goal, [p, p(_, a), shell(x)]),
    goal_kind(Goal, Kind).
test(guard, all(Kind == [guard, guard, guard, guard, guard, guard])) :-
    member(Goal, [_ = a, _ \== _, X < 3, Y is X+1, between(1, 3, Y), number(X)]),
    goal_kind(Goal, Kind).
test(every_guard_is_a_built_in, Unknown == []) :-
    findall(Name/Arity,
            ( guard_builtin(Name/Arity),
              functor(Head, Name, Arity),
              \+ predicate_property(system:Head, visible)
            ),
            Unknown).
test(negation, Kind == negation) :-
    goal_kind(\+ p(_), Kind).
test(variable, Kind == fault(variable)) :-
    goal_kind(_, Kind).
test(negated_variable, Kind == fault(variable)) :-
    goal_kind(\+ _, Kind).
test(not_callable, set(Kind == [fault(not_callable)])) :-
    member(Goal, [3, "text", [], [a], {a}, _{a:1}]),
    goal_kind(Goal, Kind).
test(no_arguments, Kind == fault(not_callable)) :-
    compound_name_arguments(Goal, p, []),
    goal_kind(Goal, Kind).
test(cut, Kind == fault(construct(!/0))) :-
    goal_kind(!, Kind).
test(disjunction, Kind == fault(construct((;)/2))) :-
    goal_kind((a ; b), Kind).
test(if_then_else, Kind == fault(construct((->)/2))) :-
    goal_kind((a -> b ; c), Kind).
test(qualified, Kind == fault(construct((:)/2))) :-
    goal_kind(user:p, Kind).
test(call, all(Kind == [fault(construct(call/1)), fault(construct(call/3))])) :-
    member(Goal, [call(p), call(p, a, b)]),
    goal_kind(Goal, Kind).
test(negated_guard, Kind == fault(negated(X<3))) :-
    goal_kind(\+ X<3, Kind).
test(negated_conjunction, Kind == fault(negated((a, b)))) :-
    goal_kind(\+ (a, b), Kind).
test(double_negation, Kind == fault(negated(\+ a))) :-
    goal_kind(\+ \+ a, Kind).
test(impure, all(Kind == [fault(impure(random/1)), fault(impure(cputime/0))])) :-
    member(Goal, [_ is 1+random(6), _ < cputime]),
    goal_kind(Goal, Kind).
test(unknown_function, all(Kind == [fault(unknown_function(f/1)), fault(unknown_function(b/0))])) :-
    member(Goal, [_ is 2*f(3), _ < b]),
    goal_kind(Goal, Kind).
test(function_in_a_term, Kind == guard) :-
    goal_kind(_ = random(6), Kind).

:- end_tests(goal_kind).

:- begin_tests(ordered_goals).

test(guard_after_its_atom, Ordered == [p(X), X < 3, q(X, Y)]) :-
    ordered_goals([X < 3, p(X), q(X, Y)], [], Ordered, []).
test(guards_in_their_order, Ordered == [p(X), number(X), X < 3]) :-
    ordered_goals([p(X), number(X), X < 3], [], Ordered, []).
test(connected_atoms_first, Ordered == [p(X), q(X, Y), r(Z)]) :-
    ordered_goals([p(X), r(Z), q(X, Y)], [], Ordered, []).
test(tests_before_joins, Ordered == [p(X), q(X), r(X, Y)]) :-
    ordered_goals([p(X), r(X, Y), q(X)], [], Ordered, []).
test(arithmetic_binds, Ordered == [p(X), Y is X+1, q(Y)]) :-
    ordered_goals([p(X), q(Y), Y is X+1], [], Ordered, []).
test(equation, Ordered == [X = a, p(X)]) :-
    ordered_goals([p(X), X = a], [], Ordered, []).
test(equation_the_other_way_round, Ordered == [a = X, p(X)]) :-
    ordered_goals([p(X), a = X], [], Ordered, []).
test(negation_waits, Ordered == [p(X), \+ q(X)]) :-
    ordered_goals([\+ q(X), p(X)], [], Ordered, []).
test(negation_with_its_own_variable, Ordered == [\+ q(Y), p(X)]) :-
    ordered_goals([p(X), \+ q(Y)], [], Ordered, []).
test(stuck, Stuck == [Y < 3]) :-
    ordered_goals([p(_), Y < 3], [], _, Stuck).
test(bound_before, Ordered-Stuck == [Y < 3]-[]) :-
    ordered_goals([Y < 3], [Y], Ordered, Stuck).
test(known_selects_atoms, Ordered == [q(Y), p(X)]) :-
    ordered_goals([p(X), q(Y)], [], [Y], [], Ordered, []).
test(guard_waits_for_an_atom_though_known, Ordered == [p(X), X < 3]) :-
    ordered_goals([X < 3, p(X)], [], [X], [], Ordered, []).
test(late_waits_for_atoms_before_it, Ordered == [p(X), q(Y), older(X, Y)]) :-
    ordered_goals([p(X), q(Y), older(X, Y)], [], [], [older/2], Ordered, []).
test(late_waits_though_known, Ordered == [n(X), next(X, Y)]) :-
    ordered_goals([next(X, Y), n(X)], [], [Y], [next/2], Ordered, []).
test(late_before_atoms_after_it, Ordered == [l(L), in(X, L), p(X)]) :-
    ordered_goals([l(L), in(X, L), p(X)], [], [], [in/2], Ordered, []).
test(late_alone, Ordered == [in(X, Y)]) :-
    ordered_goals([in(X, Y)], [], [], [in/2], Ordered, []).

:- end_tests(ordered_goals).

:- begin_tests(predicates).

test(system, all(Predicate == [shell/1, member/2, halt/0])) :-
    member(Predicate, [shell/1, bond/3, member/2, halt/0, shell/7]),
    prolog_predicate(Predicate).
test(variables_within) :-
    variables_within([X, Y], [Y, _, X]).
test(variables_without, fail) :-
    variables_within([_], [_]).
test(not_an_atom, fail) :-
    not_an_atom(p(a)).
test(variable_is_not_refused, fail) :-
    not_an_atom(_).
test(arithmetic, Expressions == [X+1]) :-
    arithmetic_guard(_ is X+1, Expressions).
test(comparison, Expressions == [X, 3]) :-
    arithmetic_guard(X >= 3, Expressions).
test(other_guard, fail) :-
    arithmetic_guard(_ = _, _).

:- end_tests(predicates).
