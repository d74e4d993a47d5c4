:- use_module('../../prolog/lrnn_server').
:- use_module(library(plunit)).
:- use_module(library(readutil)).

%   Files for text, request, reply and rows in the folder for temporary files.

started(Files) :-
    findall(File, ( between(1, 9, _), tmp_file(lrnn, File) ), Files),
    Files = [Text, Request, Reply|Rows],
    start([Text, Request, Reply], Rows).

removed(Files) :-
    forall(( member(File, Files), exists_file(File) ), delete_file(File)).

asked(Files, Request, Reply) :-
    Files = [_, RequestFile, ReplyFile|_],
    setup_call_cleanup(
        open(RequestFile, write, Out, [encoding(utf8)]),
        format(Out, '~q.~n', [Request]),
        close(Out)),
    handle,
    read_file_to_string(ReplyFile, Reply, [encoding(utf8)]).

loaded(Files) :-
    started(Files),
    Files = [Text|_],
    setup_call_cleanup(
        open(Text, write, Out, [encoding(utf8)]),
        write(Out, "begin(model(m)). e(a, b). e(b, c). query(p(b), 1). end(model(m))."),
        close(Out)),
    asked(Files, data(0), _).

codes(Files, Number, Codes) :-
    nth0(Number, Files, File),
    read_file_to_codes(File, Codes, [encoding(wchar_t)]).

:- begin_tests(lrnn_server).

test(version, [setup(started(Files)), cleanup(removed(Files))]) :-
    asked(Files, version, Reply),
    sub_string(Reply, _, _, _, "version").
test(unknown_request_is_answered, [setup(started(Files)), cleanup(removed(Files))]) :-
    asked(Files, no_such_request, Reply),
    sub_string(Reply, _, _, _, "error").
test(rows_in_levels, [setup(loaded(Files)), cleanup(removed(Files))]) :-
    asked(Files, table((e(X, Y), e(Y, Z)), [X, Y, Z], none, []), Reply),
    sub_string(Reply, _, _, _, "\"levels\":[[0,1],[2]]"),
    % The example is 1 as two codes; objects are a = 1, b = 2, c = 3.
    codes(Files, 3, [1, 2]),
    codes(Files, 4, [0, 1, 2, 2, 3]),
    codes(Files, 5, [0, 3, 0]).
test(only_queried, [setup(loaded(Files)), cleanup(removed(Files))]) :-
    asked(Files, table(e(X, Y), [X, Y], p(Y), []), _),
    codes(Files, 4, [0, 2]),
    codes(Files, 5, [0, 1]).
test(object_identity, [setup(loaded(Files)), cleanup(removed(Files))]) :-
    asked(Files, table((e(X, Y), e(Z, Y)), [X, Y, Z], none, [X, Z]), _),
    codes(Files, 5, [0, 0]).

:- end_tests(lrnn_server).
