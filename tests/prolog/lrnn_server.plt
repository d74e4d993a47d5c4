/** <module> Tests of requests and replies
*/

:- use_module(library(plunit)).
:- use_module(library(readutil)).
:- use_module('../../prolog/lrnn_server').

:- begin_tests(server, [setup(set_up), cleanup(clean_up)]).

:- dynamic test_file/2.

set_up :-
    forall(member(Name, [text, request, reply, rows1, rows2]),
           ( tmp_file_stream(File, Stream, [encoding(utf8)]),
             close(Stream),
             assertz(test_file(Name, File))
           )),
    maplist(test_file, [text, request, reply, rows1, rows2], [Text, Request, Reply, Rows1, Rows2]),
    start([Text, Request, Reply], [Rows1, Rows2]).

clean_up :-
    forall(retract(test_file(_, File)), delete_file(File)).

write_file(Name, Text) :-
    test_file(Name, File),
    setup_call_cleanup(
        open(File, write, Stream, [encoding(utf8)]),
        write(Stream, Text),
        close(Stream)).

reply(Request, Reply) :-
    string_concat("7.\n", Request, Text),
    write_file(request, Text),
    handle(''),
    test_file(reply, File),
    read_file_to_string(File, Reply, [encoding(utf8)]).

reply(Request, Text, Reply) :-
    write_file(text, Text),
    reply(Request, Reply).

holds(Text, Part) :-
    once(sub_string(Text, _, _, _, Part)).

test(version, true(holds(Reply, "{\"token\":7,\"version\":"))) :-
    reply("version.", Reply).
test(template, Reply == "{\"token\":7,\"members\":[{\"line\":1,\"column\":1,\"name\":\"\",\"rules\":[[1,1,0.5,false,[\"p\",[[true,\"X\"]]],[[\"q\",[[true,\"X\"]],false]],[]]],\"settings\":[]}],\"faults\":[]}") :-
    reply("template.", "0.5 :: p(X) :- q(X).", Reply).
test(system_predicate, true(holds(Reply, "[\"shell\",[[true,\"X\"]],true]"))) :-
    reply("template.", "0.5 :: p(X) :- shell(X).", Reply).
test(faults, true(holds(Reply, "\"faults\":[[1,1,\"a variable is not a rule; write `_ :: head :- body.`\"]]"))) :-
    reply("template.", "X.", Reply).
test(data, true(maplist(holds(Reply),
                        [ "\"form\":\"single\"",
                          "\"examples\":[[\"example\",1,0,2,2]]",
                          "\"queries\":[[1,\"p\",1,[2],\"p('B')\",1.0,1]]",
                          "\"predicates\":[[\"q\",1],[\"s\",1]]",
                          "\"weights\":[0.5]",
                          "\"faults\":[]"
                        ]))) :-
    reply("data(0).", "q(a). 0.5 :: s(a). query(p('B'), 1).", Reply).
test(facts_are_written_while_data_are_read, Rows-Objects == [0, 3, 0]-[1, 1, 1, 2]) :-
    reply("data(0).", "q(a). 0.5 :: s(a). q('B').", _),
    maplist(test_file, [rows1, rows2], [RowFile, ObjectFile]),
    read_file_to_codes(RowFile, Rows, [encoding(wchar_t)]),
    read_file_to_codes(ObjectFile, Objects, [encoding(wchar_t)]).
test(background, true(holds(Reply, "\"head\":[\"r\",1],\"body\":[[\"q\",1,false,false],[\"s\",1,true,false]],\"fact\":false,\"text\":\":-(r(V0),','(q(V0),\\\\+(s(V0))))\""))) :-
    reply("data(0).", "r(X) :- q(X), \\+ s(X).", Reply).
test(background_goals, true(holds(Reply, "\"goals\":[[\"atom\",\"r\",[[\"V0\"],\"a\"]],[\"negation\",\"s\",[]],[\"guard\",\"@<\",[[\"V0\"],[\"+\",[\"1\",\"'V0'\"]]]]]"))) :-
    reply("data(0).", "r(X, a) :- \\+ s, X @< 1+'V0'.", Reply).
test(background_variables_are_not_forged, true(holds(Reply, "'$VAR'(0)"))) :-
    reply("data(0).", "r(X) :- q(X, '$VAR'(0)).", Reply).
test(table, Reply == "{\"token\":7,\"wide\":false,\"levels\":[[0]]}") :-
    reply("data(0).", "q(a). q(b).", _),
    reply("table(q(V0), [V0], none, []).", Reply).
test(names, Reply == "{\"token\":7,\"names\":[\"b\",\"'$VAR'(1)\"]}") :-
    reply("data(0).", "q(a). q(b). q('$VAR'(1)).", _),
    reply("names([1-2, 1-3]).", Reply).
test(object_names, Names == "a\x1e\'B'\x1e\") :-
    reply("data(0).", "q(a). q('B').", _),
    reply("object_names.", "{\"token\":7}"),
    test_file(rows1, File),
    read_file_to_string(File, Names, [encoding(utf8)]).
test(type_error, Reply == "{\"token\":7,\"error\":\"a is not of type number; test it with number/1 before\",\"kind\":\"guard\"}") :-
    reply("data(0).", "q(a).", _),
    reply("table((q(V0), V0 < 3), [V0], none, []).", Reply).
test(evaluation_error, Reply == "{\"token\":7,\"error\":\"division by zero\",\"kind\":\"guard\"}") :-
    reply("data(0).", "q(a).", _),
    reply("table((q(V0), 1 < 1/0), [V0], none, []).", Reply).
test(unbound, Reply == "{\"token\":7,\"error\":\"a variable is not bound; let atoms before it bind the arguments of older/2\",\"kind\":\"guard\"}") :-
    reply("data(0).", "q(a).", _),
    reply("extend(crisp, [older/2], [background((older(A, B) :- A > B))]).", "{\"token\":7}"),
    reply("table(older(V0, V1), [V0, V1], none, []).", Reply).
test(internal_error, true(holds(Reply, "\"kind\":\"internal\""))) :-
    reply("no_such_request.", Reply).
test(syntax_error_in_a_request, true(holds(Reply, "\"kind\":\"internal\""))) :-
    reply("data(.", Reply).
test(unwritten_reply, Outcome == 'No space left on device') :-
    setup_call_cleanup(
        ( retract(lrnn_server:file(reply, File)), assertz(lrnn_server:file(reply, '/dev/full')) ),
        ( write_file(request, "7.\nversion."), handle(Outcome) ),
        ( retract(lrnn_server:file(reply, _)), assertz(lrnn_server:file(reply, File)) )).
test(unwritten_rows, true(holds(Reply, "\"error\":\"No space left on device\",\"kind\":\"system\""))) :-
    reply("data(0).", "q(a).", _),
    setup_call_cleanup(
        ( retract(lrnn_server:file(rows, Files)), assertz(lrnn_server:file(rows, ['/dev/full', '/dev/full'])) ),
        reply("table(q(V0), [V0], none, []).", Reply),
        ( retract(lrnn_server:file(rows, _)), assertz(lrnn_server:file(rows, Files)) )).
test(resource_error, true(holds(Reply, "\"kind\":\"memory\""))) :-
    lrnn_server:error_reply(error(resource_error(private_table_space), _), Json),
    with_output_to(string(Reply), ( current_output(Stream), lrnn_json:json_write(Stream, Json) )).

:- end_tests(server).
