/** <module> Tests of reading the Prolog files of other systems
*/

:- use_module(library(plunit)).
:- use_module('../../prolog/lrnn_import').

:- begin_tests(import).

terms(Text, Terms) :-
    setup_call_cleanup(open_string(Text, Stream), read_terms(Stream, Terms), close(Stream)).

test(empty, Terms == []) :-
    terms("% nothing\n", Terms).
test(fact, Terms == [[1, 1, fact, ["p", "a", "'B c'", "1.5", "\"s\""], []]]) :-
    terms("p(a, 'B c', 1.50, \"s\").", Terms).
test(atom, Terms == [[2, 3, fact, "q", []]]) :-
    terms("\n  q.", Terms).
test(nested, Terms == [[1, 1, fact, ["pos", ["f", "t1", ["g", "x"], "[1,2]"]], []]]) :-
    terms("pos(f(t1, g(x), [1,2])).", Terms).
test(mode, Terms == [[1, 1, directive, ["modeb", "*", ["p", ["+", "a"], ["#", "b"]]], []]]) :-
    terms(":- modeb(*, p(+a, #b)).", Terms).
test(directive_is_not_run, Terms == [[1, 1, directive, "halt", []]]) :-
    terms(":- halt.", Terms).
test(operator_takes_no_effect, [Kind, More] == [fault, syntax]) :-
    terms(":- op(700, xfx, ===>).\na ===> b.", [_, [2, _, Kind, _, More]]).
test(clause,
     Terms == [[1, 1, clause, ["p", ["X"]],
                ["p(X):-q(X, Y), \\+r(Y, _1), Y>2", [["q", ["X"], ["Y"]], ["r", ["Y"], ["_1"]]]]]]) :-
    terms("p(X) :- q(X, Y), \\+ r(Y, _), Y > 2.", Terms).
test(clause_that_cannot_be_said, [Line, More] == [2, clause]) :-
    terms("q.\np :- q, !.", [_, [Line, 1, fault, _, More]]).
test(not_ground, More == clause) :-
    terms("p(X).", [[1, 1, fault, _, More]]).
test(goes_on_after_a_fault, Kinds == [fault, fact]) :-
    terms("p(a.\nq.", Terms),
    findall(Kind, member([_, _, Kind|_], Terms), Kinds).

:- end_tests(import).
