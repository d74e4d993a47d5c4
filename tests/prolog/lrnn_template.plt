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
    template(Text, template([member(1, 1, "", [Rule], [])], [])).

fault(Text, Message) :-
    template(Text, template(_, [fault(_, _, Message)])).

faults(Text, Faults) :-
    template(Text, template(_, Faults)).

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
test(guards, Guards == [ guard(['', 'X', '<', 'Y', ''], [], goal(guard, <, [variable('X'), variable('Y')])),
                         guard(['\\+r(', 'X', ', a)'], [r, 2], goal(negation, r, [variable('X'), constant("a")]))
                       ]) :-
    rule("_ :: p :- q(X, Y), X < Y, \\+ r(X, a).", rule(_, _, _, _, _, _, Guards)).
test(guard_with_a_mark_in_it, Parts == ['', 'X', '\\==\'Mark0_\'']) :-
    rule("_ :: p :- q(X), X \\== 'Mark0_'.", rule(_, _, _, _, _, _, [guard(Parts, [], _)])).
test(no_variable_is_forged, Atoms-Parts == [atom(q, [variable('X'), constant("'$VAR'('X')")])]-['', 'X', '\\==\'$VAR\'(1)']) :-
    rule("_ :: p :- q(X, '$VAR'('X')), X \\== '$VAR'(1).", rule(_, _, _, _, _, Atoms, [guard(Parts, [], _)])).
test(guard_terms, Goal == goal(guard, =, [variable('X'), compound('[|]', [compound(-, [variable('X')]), constant("-1.5")])])) :-
    rule("_ :: p :- q(X), X = '[|]'(- X, -1.5).", rule(_, _, _, _, _, _, [guard(_, [], Goal)])).
test(deep_guard, Goal == null) :-
    numlist(1, 30, List),
    format(string(Text), "_ :: p :- q(X), X = [~w|X].", [List]),
    rule(Text, rule(_, _, _, _, _, _, [guard(_, [], Goal)])).
test(constants, Terms == [-(1), -1, [a, b], {x}, a+b, "s", 'A b', 1.5, (:- x)]) :-
    rule("_ :: p(- 1, -1, [a, b], {x}, a + b, \"s\", 'A b', 1.5, (:- x)).", rule(_, _, _, _, atom(p, Parts), _, _)),
    findall(Term, ( member(constant(Text), Parts), term_string(Term, Text) ), Terms).
test(settings, Settings == [setting(1, 1, "steepness", "6.0"), setting(1, 27, "x", "'A'")]) :-
    template("setting(steepness, 6.0).  setting(x, 'A').", template([member(1, 1, "", [], Settings)], [])).
test(unsafe_head, Message == "unsafe rule: the head variable Y does not occur in an atom of the body; add one that binds it") :-
    fault("_ :: p(Y) :- q(X), \\+ r(Y).", Message).
test(unsafe_guard, Message == "unsafe rule: nothing binds the variables of Y<X; add an atom that does") :-
    fault("_ :: p :- q(X), Y < X.", Message).
test(bound_by_arithmetic, Rule = rule(_, _, _, _, atom(p, [variable('Y')]), _, _)) :-
    rule("_ :: p(Y) :- q(X), Y is X+1.", Rule).
test(built_in_with_a_goal, Message == "the built-in findall/3 is not allowed in a body; leave it out, or define such a predicate in the data") :-
    fault("_ :: p :- findall(X, q(X), Y), r(Y).", Message).
test(data_file, Faults == [fault(2, 1, "an example begins here, so this is a data file; the template comes first, then the data")]) :-
    faults("p(a).\nbegin(model(m)).\nq(X).\nend(model(m)).\n", Faults).
test(data_file_with_weighted_facts_first, Faults == [fault(1, 1, "an example begins here, so this is a data file; the template comes first, then the data")]) :-
    faults("begin(model(m)).\n0.8 :: q(a).\nquery(p, 1.0).\nend(model(m)).\n", Faults).
test(ensemble, Members == [ member(1, 1, "1", [rule(1, 19, 0.5, false, atom(p, []), [], [])], []),
                            member(3, 3, "'B c'",
                                   [rule(4, 1, -1.0, false, atom(p, []), [atom(q, [])], [])],
                                   [setting(3, 27, "offset", "0.1")])
                          ]) :-
    template("begin(model(1)).  0.5 :: p.\nend(model(1)).\n  begin(model('B c')).    setting(offset, 0.1).\n-1 :: p :- q.\nend(model('B c')).",
             template(Members, [])).
test(ensemble_of_facts, Names == ["a", "b"]) :-
    template("begin(model(a)). 0.5 :: p. end(model(a)). begin(model(b)). 1 :: p. end(model(b)).",
             template([member(_, _, A, [_], []), member(_, _, B, [_], [])], [])),
    Names = [A, B].
test(unclosed, Faults == [fault(1, 1, "model a is not closed; add end(model(a)). after its last rule")]) :-
    faults("begin(model(a)).\n_ :: p.\n", Faults).
test(nested, Faults == [fault(3, 1, "model b begins inside model a of line 1; add end(model(a)). before it")]) :-
    faults("begin(model(a)).\n_ :: p.\nbegin(model(b)).\n_ :: p.\nend(model(b)).\n", Faults).
test(other_end, Faults == [fault(3, 1, "end(model(b)) closes model a of line 1; the names must be the same")]) :-
    faults("begin(model(a)).\n_ :: p.\nend(model(b)).\n", Faults).
test(end_alone, Faults == [fault(4, 1, "end(model(b)) without its begin(model(b)); delete it or add the begin")]) :-
    faults("begin(model(a)).\n_ :: p.\nend(model(a)).\nend(model(b)).\n", Faults).
test(end_without_any_begin, Message == "end(model(_)) in a template; examples belong in the data") :-
    fault("_ :: p.\nend(model(b)).\n", Message).
test(repeated_name, Faults == [fault(3, 1, "model a was already defined in line 1; give each model a name of its own")]) :-
    faults("begin(model(a)).\n_ :: p. end(model(a)).\nbegin(model(a)).\n_ :: p. end(model(a)).\n", Faults).
test(name_that_is_not_ground, Faults == [fault(1, 1, "the name M of the model is not ground; quote it if it starts with a capital letter")]) :-
    faults("begin(model(M)).\n_ :: p. end(model(M)).", Faults).
test(outside_of_blocks, Faults == [ fault(1, 1, "the rule for p stands outside all models; move it into one"),
                                    fault(4, 1, "a setting outside all models; write it inside each model that it is for"),
                                    fault(5, 1, "the fact q has no weight; write `_ ::` before it to learn one, `fixed(1.0) ::` to fix it, or move it to the data"),
                                    fault(6, 1, "a variable is not a rule; write `_ :: head :- body.`")
                                  ]) :-
    faults("_ :: p.\nbegin(model(a)). _ :: p.\nend(model(a)).\nsetting(offset, 1).\nq.\nX.\n", Faults).
test(quote_without_end_in_a_block, Message == "syntax error: this quote is never closed") :-
    fault("begin(model(a)).\n_ :: p :- 'q.\nend(model(a)).\n", Message).
test(directive_in_a_block, Message == "the directive `:- x` is not run; delete it, files hold facts and clauses only") :-
    fault("begin(model(a)).\n:- x.\n_ :: p.\nend(model(a)).\n", Message).

:- end_tests(template).
