:- use_module('../../prolog/lrnn_grounder').
:- use_module('../../prolog/lrnn_reader').
:- use_module('../../prolog/lrnn_store').
:- use_module(library(plunit)).

%   One example: the path a -> b -> c, numbers 1 and 3.

path_example :-
    clear_model,
    Text = "begin(model(m)). e(a, b). e(b, c). n(1). n(3). end(model(m)).",
    setup_call_cleanup(
        ( tmp_file_stream(File, Out, [encoding(utf8)]), write(Out, Text), close(Out),
          open(File, read, In, [encoding(utf8)]) ),
        read_data(In, 0, data(_, _, _, _, [])),
        ( close(In), delete_file(File) )).

%   The atoms of a predicate that are true in the example, as lists of terms.

true_atoms(Name/Arity, Atoms) :-
    length(Identifiers, Arity),
    crisp_goals(Name/Arity, Identifiers, 1, Goals),
    findall(Terms,
            ( member(Goal, Goals),
              call(Goal),
              findall(Term, ( member(I, Identifiers), object_term(1, I, Term) ), Terms)
            ),
            Atoms0),
    sort(Atoms0, Atoms).

:- begin_tests(lrnn_grounder, [setup(path_example), cleanup(( clear_model, clear_store ))]).

test(facts, [nondet, true(Atoms == [[a, b], [b, c]])]) :-
    true_atoms(e/2, Atoms).
test(clause, [cleanup(clear_extensions), true(Atoms == [[b]])]) :-
    extend(crisp, [mid/1], [background((mid(X) :- e(_, X), e(X, _)))]),
    true_atoms(mid/1, Atoms).
test(recursion, [cleanup(clear_extensions), true(Atoms == [[a, b], [a, c], [b, c]])]) :-
    extend(crisp, [path/2],
           [ background((path(X, Y) :- e(X, Y))),
             background((path(X1, Y1) :- e(X1, Z), path(Z, Y1)))
           ]),
    true_atoms(path/2, Atoms).
test(arithmetic_makes_objects, [cleanup(clear_extensions), true(Atoms == [[2], [4]])]) :-
    extend(crisp, [next/1], [background((next(Y) :- n(X), Y is X+1))]),
    true_atoms(next/1, Atoms).
test(comparison, [cleanup(clear_extensions), true(Atoms == [[3]])]) :-
    extend(crisp, [large/1], [background((large(X) :- n(X), X > 2))]),
    true_atoms(large/1, Atoms).
test(negation, [cleanup(clear_extensions), true(Atoms == [[c]])]) :-
    extend(crisp, [end/1], [background((end(X) :- e(_, X), \+ e(X, _)))]),
    true_atoms(end/1, Atoms).
test(background_facts, [cleanup(path_example), true(Atoms == [[b], [k]])]) :-
    define_background_facts([known(b), known(k)]),
    true_atoms(known/1, Atoms).
test(lists_are_evaluated_when_called, [cleanup(clear_extensions), true(Atoms == [[2]])]) :-
    extend(crisp, [len/2],
           [ background((len([], 0) :- true)),
             background((len([_|T], N) :- len(T, M), N is M+1))
           ]),
    extend(crisp, [two/1], [background((two(N1) :- len([x, y], N1)))]),
    true_atoms(two/1, Atoms).
test(guard_on_an_atom, [cleanup(clear_extensions), error(type_error(number, a))]) :-
    extend(crisp, [bad/1], [background((bad(X) :- e(X, _), X > 2))]).

:- end_tests(lrnn_grounder).
