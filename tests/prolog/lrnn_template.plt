/** <module> Tests of reading templates
*/

:- use_module(library(plunit)).
:- use_module('../../prolog/lrnn_template').

:- begin_tests(template).

template(Text, Template) :-
    setup_call_cleanup(
        open_string(Text, Stream),
        read_template(Stream, Template),
        close(Stream)).

rule(Text, Rule) :-
    template(Text, template([Rule], [], [])).

fault(Text, Message) :-
    template(Text, template(_, _, [fault(_, _, Message)])).

test(rule, Rule == rule(2, 3, 0.5, false, atom(p, [variable('X')]),
                        [atom(q, [variable('X'), constant("a")]), atom(r, [])], [])) :-
    rule("\n  0.5 :: p(X) :- q(X, a), r.", Rule).
test(fact, Rule == rule(1, 1, -2.0, false, atom(p, [constant("'A'")]), [], [])) :-
    rule("-2 :: p('A').", Rule).
test(fixed, Weight-Fixed == 0.7-true) :-
    rule("fixed(0.7) :: p.", rule(_, _, Weight, Fixed, _, _, _)).
test(to_be_drawn, Weight-Fixed == "_"-false) :-
    rule("_ :: p.", rule(_, _, Weight, Fixed, _, _, _)).
test(anonymous_variables, Arguments == [variable('V1'), variable('V3'), variable('V2')]) :-
    rule("_ :: p :- q(V1, _, V2).", rule(_, _, _, _, _, [atom(q, Arguments)], _)).
test(guards, Guards == [guard(['', 'X', '<', 'Y', ''], []), guard(['\\+r(', 'X', ', a)'], [r, 2])]) :-
    rule("_ :: p :- q(X, Y), X < Y, \\+ r(X, a).", rule(_, _, _, _, _, _, Guards)).
test(guard_with_a_mark_in_it, Parts == ['', 'X', '\\==\'Mark0_\'']) :-
    rule("_ :: p :- q(X), X \\== 'Mark0_'.", rule(_, _, _, _, _, _, [guard(Parts, [])])).
test(no_variable_is_forged, Atoms-Parts == [atom(q, [variable('X'), constant("'$VAR'('X')")])]-['', 'X', '\\==\'$VAR\'(1)']) :-
    rule("_ :: p :- q(X, '$VAR'('X')), X \\== '$VAR'(1).", rule(_, _, _, _, _, Atoms, [guard(Parts, [])])).
test(constants, Terms == [-(1), -1, [a, b], {x}, a+b, "s", 'A b', 1.5, (:- x)]) :-
    rule("_ :: p(- 1, -1, [a, b], {x}, a + b, \"s\", 'A b', 1.5, (:- x)).", rule(_, _, _, _, atom(p, Parts), _, _)),
    findall(Term, ( member(constant(Text), Parts), term_string(Term, Text) ), Terms).
test(settings, Settings == [setting(1, 1, "steepness", "6.0"), setting(1, 27, "x", "'A'")]) :-
    template("setting(steepness, 6.0).  setting(x, 'A').", template([], Settings, [])).
test(unsafe_head, Message == "unsafe rule: the head variable Y does not occur in an atom of the body; add one that binds it") :-
    fault("_ :: p(Y) :- q(X), \\+ r(Y).", Message).
test(unsafe_guard, Message == "unsafe rule: nothing binds the variables of Y<X; add an atom that does") :-
    fault("_ :: p :- q(X), Y < X.", Message).
test(bound_by_arithmetic, Rule = rule(_, _, _, _, atom(p, [variable('Y')]), _, _)) :-
    rule("_ :: p(Y) :- q(X), Y is X+1.", Rule).
test(built_in_with_a_goal, Message == "the built-in findall/3 is not allowed in a body; leave it out, or define such a predicate in the data") :-
    fault("_ :: p :- findall(X, q(X), Y), r(Y).", Message).
test(data_file, Faults == [fault(2, 1, "an example begins here, so this is a data file; the template comes first, then the data")]) :-
    template("p(a).\nbegin(model(m)).\nq(X).\nend(model(m)).\n", template(_, _, Faults)).

:- end_tests(template).
