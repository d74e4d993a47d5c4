/** <module> Tests of writing rows
*/

:- use_module(library(plunit)).
:- use_module('../../prolog/lrnn_grounder').
:- use_module('../../prolog/lrnn_reader').
:- use_module('../../prolog/lrnn_rows').
:- use_module('../../prolog/lrnn_store').

:- begin_tests(rows, [cleanup(( clear_model, clear_store ))]).

load(Text) :-
    clear_model,
    setup_call_cleanup(
        open_string(Text, Stream),
        read_data(Stream, 0, data(_, _, _, _, [])),
        close(Stream)).

%   written(+Count, :Goal, +Streams, -Codes): what Goal writes to Count streams, as lists of codes.

written(Count, Goal, Streams, Codes) :-
    length(Files, Count),
    maplist(new_memory_file, Files),
    maplist(open_written, Files, Streams),
    call(Goal),
    maplist(close, Streams),
    maplist(file_codes, Files, Codes),
    maplist(free_memory_file, Files).

:- if(exists_source(library(memfile))).
:- use_module(library(memfile)).
open_written(File, Stream) :-
    open_memory_file(File, write, Stream).
file_codes(File, Codes) :-
    memory_file_to_codes(File, Codes).
:- else.
new_memory_file(File) :-
    tmp_file(rows, File).
open_written(File, Stream) :-
    open(File, write, Stream, [encoding(utf8)]).
file_codes(File, Codes) :-
    read_file_to_codes(File, Codes, [encoding(utf8)]).
free_memory_file(File) :-
    delete_file(File).
:- endif.

%   Examples are two codes: the example in units of 2^15, and the rest, each from 1.

test(one_level, Levels-Codes == [[0]]-[[1, 2], [0, 1, 2]]) :-
    load("p(a). p(b)."),
    written(2, write_table(Streams, p(X), [X], none, [], Levels), Streams, Codes).
test(two_examples, Codes == [[1, 2, 1, 3], [0, 1, 0, 2]]) :-
    load("begin(model(m)). p(a). end(model(m)). begin(model(n)). p(a). end(model(n))."),
    written(2, write_table(Streams, p(X), [X], none, [], _), Streams, Codes).
test(shared_beginnings, Levels-Codes == [[0], [1]]-[[1, 2], [0, 1, 3], [0, 1, 2, 0, 3]]) :-
    % a has solutions a and b, b has solution b: e(a, a). e(a, b). with p(a), and p(b) with e(b, b).
    load("p(a). e(a, a). e(a, b). p(b). e(b, b)."),
    once(( written(3, write_table(Streams, (p(X), e(X, Y)), [X, Y], none, [], Levels0), Streams, Codes0) )),
    normal(Levels0, Codes0, Levels, Codes).
test(fewer_streams_than_levels, Levels == [[0, 1, 2]]) :-
    load("e(a, b). f(b, c)."),
    written(2, write_table(Streams, (e(X, Y), f(Y, Z)), [X, Y, Z], none, [], Levels), Streams, _).
test(queried_only, Codes == [[1, 2], [0, 2]]) :-
    load("p(a). p(b). query(r(b), 1). query(r(c), 1)."),
    written(2, write_table(Streams, p(X), [X], r(X), [], _), Streams, Codes0),
    maplist(compact, Codes0, Codes).
test(guard_waits_for_an_atom, Codes == [[1, 2], [0, 0]]) :-
    load("p(1). query(r(a), 1). query(r(1), 1)."),
    written(3, write_table(Streams, (p(X), X < 1), [X], r(X), [], _), Streams, [A, B|_]),
    exclude(==(1), B, C0),
    exclude(==(2), C0, C1),
    ( C1 == [0] -> C = [0, 0] ; C = C1 ),
    Codes = [A, C].
test(object_identity, Codes == [[1, 2], [0]]) :-
    load("e(a, a)."),
    written(2, write_table(Streams, e(X, Y), [X, Y], none, [X, Y], _), Streams, Codes).
test(no_columns, Levels-Codes == []-[[1, 2], []]) :-
    load("p(a)."),
    written(2, write_table(Streams, p(a), [], none, [], Levels), Streams, Codes).
test(data_facts, Codes == [[1, 2], [0, 1, 2]]) :-
    load("p(a). p(b)."),
    written(2, write_data_facts(Streams, p/1, _), Streams, Codes).
test(unknown_predicate, Codes == [[1, 2], [0]]) :-
    load("p(a)."),
    written(2, write_facts(Streams, nothing/1, _), Streams, Codes).
test(facts_without_the_template, Codes == [[1, 2], [0, 1]]) :-
    load("p(a). q(b)."),
    extend(derived, [p/1], [clause(p(A), q(A), [])]),
    written(2, write_facts(Streams, p/1, _), Streams, Codes).
test(soft_facts, Codes == [[1, 2], [0, 1, 1, 2, 2]]) :-
    load("0.5 :: p(a). 0.25 :: p(b)."),
    written(2, write_soft_facts(Streams, p/1, _), Streams, [Examples, Rows]),
    weight_values(Weights),
    ( Weights == [0.5, 0.25] -> Codes = [Examples, Rows] ; Codes = Weights ).
test(narrow, fail) :-
    load("p(a)."),
    wide_identifiers.

normal(Levels, Codes, Levels, Codes).
compact(Codes, Codes).

:- end_tests(rows).
