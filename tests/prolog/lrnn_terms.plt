/** <module> Tests of reading terms and of what is said about them
*/

:- use_module(library(plunit)).
:- use_module('../../prolog/lrnn_terms').

:- begin_tests(terms, [cleanup(clear_faults)]).

%   The terms of a text, read carefully, and the faults that were found.

terms(Text, Terms, Faults) :-
    clear_faults,
    setup_call_cleanup(
        open_string(Text, Stream),
        all_terms(Stream, Terms),
        close(Stream)),
    collected_faults(Faults).

all_terms(Stream, Terms) :-
    read_next(Stream, Term, _),
    (   Term == end_of_file
    ->  Terms = []
    ;   Terms = [Term|Rest],
        all_terms(Stream, Rest)
    ).

test(places, Places == [1:1, 2:3]) :-
    setup_call_cleanup(
        open_string("a.\n  b.", Stream),
        ( read_next(Stream, _, Place1),
          read_next(Stream, _, Place2)
        ),
        close(Stream)),
    line_column(Place1, Line1, Column1),
    line_column(Place2, Line2, Column2),
    Places = [Line1:Column1, Line2:Column2].
test(goes_on_after_a_syntax_error, Terms == [a, c]) :-
    terms("a.\nb b.\nc.\n", Terms, [fault(2, _, _)]).
test(a_syntax_error_is_thrown, error(syntax_error(_))) :-
    setup_call_cleanup(
        open_string("b b.", Stream),
        read_placed(Stream, _, _),
        close(Stream)).
test(faulty, fail) :-
    terms("a. b.", _, []),
    faulty.
test(weights_are_an_operator, Terms =@= [(::(0.5, p(X)) :- q(X))]) :-
    terms("0.5 :: p(X) :- q(X).", Terms, []).

test(text, Text == "f('A b', \"s\", [1])") :-
    term_text(f('A b', "s", [1]), Text).
test(canonical, Text == "+(1,*(2,a))") :-
    canonical_text(1+2*a, Text).

test(atom_without_arguments, Name-Arguments == p-[]) :-
    atom_arguments(p, Name, Arguments).
test(finite) :-
    finite_number(-2).
test(infinite, fail) :-
    Infinite is inf,
    finite_number(Infinite).
test(rational, fail) :-
    finite_number(1r3).
test(built_in_as_a_fact) :-
    atom_fault(a < b, _, [(<)/2]).
test(plain_atom, fail) :-
    atom_fault(bond(a, b), _, _).
test(clause_as_a_fact) :-
    fact_fault((p :- q), _, [p]).
test(cut, Arguments == []) :-
    goal_fault(construct(!/0), !, _, Arguments).

:- end_tests(terms).
