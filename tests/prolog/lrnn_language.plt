:- use_module('../../prolog/lrnn_language').
:- use_module(library(plunit)).

:- begin_tests(lrnn_language).

test(conjunction, Goals == [a, b(X), c]) :-
    body_goals((a, (b(X), true), c), Goals).
test(empty, Goals == []) :-
    body_goals(true, Goals).

test(atom, Kind == atom) :-
    goal_kind(bond(_, _, _), Kind).
test(guard, Kind == guard) :-
    goal_kind(_ < 3, Kind).
test(negation, Kind == negation) :-
    goal_kind(\+ bond(_, _), Kind).
test(negated_guard, true(Kind = fault(negated(_ < 3)))) :-
    goal_kind(\+ _ < 3, Kind).
test(variable, Kind == fault(variable)) :-
    goal_kind(_, Kind).
test(number, Kind == fault(not_callable)) :-
    goal_kind(7, Kind).
test(cut, Kind == fault(construct(!/0))) :-
    goal_kind(!, Kind).
test(call, true(Kind = fault(construct(call/_)))) :-
    goal_kind(call(a), Kind).
test(random, Kind == fault(impure(random/1))) :-
    goal_kind(_ is random(6)+1, Kind).

test(order_guard_waits, Ordered == [p(X), q(X, Y), X < Y]) :-
    ordered_goals([X < Y, p(X), q(X, Y)], [], Ordered, []).
test(order_connected_first, Ordered == [p(X), r(X, Y), q(Y), s(Z)]) :-
    ordered_goals([p(X), s(Z), q(Y), r(X, Y)], [], Ordered, []).
test(order_bound_first, Ordered == [q(Y), p(X)]) :-
    ordered_goals([p(X), q(Y)], [Y], Ordered, []).
test(order_is_binds, Ordered == [Y is X+1, q(Y), p(X)]) :-
    ordered_goals([q(Y), Y is X+1, p(X)], [X], Ordered, []).
test(stuck, Stuck == [X < 3]) :-
    ordered_goals([X < 3], [], _, Stuck).
test(negation_waits_for_shared, Ordered =@= [p(X), \+ q(X, _)]) :-
    ordered_goals([\+ q(X, _), p(X)], [], Ordered, []).

test(system_predicate) :-
    prolog_predicate(shell/1).
test(library_predicate) :-
    prolog_predicate(append/3).
test(user_predicate, fail) :-
    prolog_predicate(no_such_bond/3).

:- end_tests(lrnn_language).
