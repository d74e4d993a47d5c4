/** <module> Tests of writing rows
*/

:- use_module(library(plunit)).
:- use_module(library(readutil)).
:- use_module('../../prolog/lrnn_grounder').
:- use_module('../../prolog/lrnn_data').
:- use_module('../../prolog/lrnn_rows').
:- use_module('../../prolog/lrnn_store').

:- begin_tests(rows, [cleanup(( clear_model, clear_store ))]).

load(Text) :-
    clear_model,
    setup_call_cleanup(
        open_string(Text, Stream),
        read_data(Stream, 0, data(_, _, Queries, _, [])),
        close(Stream)),
    hold_facts,
    findall(Predicate-[[1|Places]], member(query(1, Predicate, Places, _, _, _), Queries), Asked),
    set_queries(Asked).

%   written(+Count, :Goal, +Streams, -Codes)
%
%   Codes are what Goal writes to each of Count Streams.

written(Count, Goal, Streams, Codes) :-
    length(Files, Count),
    maplist(tmp_file(rows), Files),
    maplist(open_written, Files, Streams),
    once(Goal),
    maplist(close, Streams),
    maplist(file_codes, Files, Codes),
    maplist(delete_file, Files).

open_written(File, Stream) :-
    open(File, write, Stream, [encoding(utf8)]).

file_codes(File, Codes) :-
    read_file_to_codes(File, Codes, [encoding(utf8)]).

%   Examples are two codes: the example in units of 2^15, and the rest, each from 1.

test(one_level, Levels-Codes == [[0]]-[[1, 2], [0, 1, 2]]) :-
    load("p(a). p(b)."),
    written(2, write_table(Streams, p(X), [X], none, [], Levels), Streams, Codes).
test(two_examples, Codes == [[1, 2, 1, 3], [0, 1, 0, 2]]) :-
    load("begin(model(m)). p(a). end(model(m)). begin(model(n)). p(a). end(model(n))."),
    written(2, write_table(Streams, p(X), [X], none, [], _), Streams, Codes).
test(shared_beginnings, Levels-Codes == [[0], [1]]-[[1, 2], [0, 1, 2], [0, 3, 4, 0, 4]]) :-
    load("p(a). p(b). e(a, c). e(a, d). e(b, d)."),
    written(3, write_table(Streams, (p(X), e(X, Y)), [X, Y], none, [], Levels), Streams, Codes).
test(fewer_streams_than_levels, Levels == [[0, 1, 2]]) :-
    load("e(a, b). f(b, c)."),
    written(2, write_table(Streams, (e(X, Y), f(Y, Z)), [X, Y, Z], none, [], Levels), Streams, _).
test(queried_only, Codes == [[1, 2], [0, 2]]) :-
    load("p(a). p(b). query(r(b), 1). query(r(c), 1)."),
    written(2, write_table(Streams, p(X), [X], r(X), [], _), Streams, Codes).
test(guard_waits_for_an_atom, Codes == [[1, 2], [0, 1]]) :-
    load("p(1). p(7). query(r(a), 1). query(r(1), 1). query(r(7), 1)."),
    written(2, write_table(Streams, (p(X), X < 3), [X], r(X), [], _), Streams, Codes).
test(object_identity, Codes == [[1, 2], [0]]) :-
    load("e(a, a)."),
    written(2, write_table(Streams, e(X, Y), [X, Y], none, [X, Y], _), Streams, Codes).
test(no_columns, Levels-Codes == []-[[1, 2], []]) :-
    load("p(a)."),
    written(2, write_table(Streams, p(a), [], none, [], Levels), Streams, Codes).
test(limited, Codes == [[1, 2], [0, 1, 2], [0, 3, 4, 0, 4]]) :-
    load("p(a). p(b). e(a, c). e(a, d). e(b, d)."),
    written(3, limited_rows(5, write_table(Streams, (p(X), e(X, Y)), [X, Y], none, [], _)), Streams, Codes).
test(too_many_rows, error(too_many_rows(2))) :-
    load("p(a). p(b). e(a, c). e(a, d). e(b, d)."),
    written(3, limited_rows(2, write_table(Streams, (p(X), e(X, Y)), [X, Y], none, [], _)), Streams, _).
test(limits_end_with_their_goal, Codes == [[1, 2], [0, 1, 2]]) :-
    load("p(a). p(b)."),
    catch(limited_rows(1, throw(stopped)), stopped, true),
    written(2, write_table(Streams, p(X), [X], none, [], _), Streams, Codes).
test(unknown_predicate, Codes == [[1, 2], [0]]) :-
    load("p(a)."),
    written(2, write_facts(Streams, nothing/1, _), Streams, Codes).
test(facts_without_the_template, Codes == [[1, 2], [0, 1]]) :-
    load("p(a). q(b)."),
    extend(derived, [p/1], [clause(p(A), q(A), [])]),
    written(2, write_facts(Streams, p/1, _), Streams, Codes).
test(narrow, fail) :-
    load("p(a)."),
    wide_identifiers.

:- end_tests(rows).
