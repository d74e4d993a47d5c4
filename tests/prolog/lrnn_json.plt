:- use_module('../../prolog/lrnn_json').
:- use_module(library(plunit)).

written(Value, Text) :-
    with_output_to(string(Text), ( current_output(Stream), json_write(Stream, Value) )).

:- begin_tests(lrnn_json).

test(object, Text == "{\"a\":[1,2.5,true],\"b\":null}") :-
    written(json([a=[1, 2.5, true], b=null]), Text).
test(string_that_looks_like_a_literal, Text == "\"true\"") :-
    written("true", Text).
test(escapes, Text == "\"a\\\"b\\\\c\\u000a\"") :-
    written("a\"b\\c\n", Text).
test(unicode, Text == "\"ž→\"") :-
    written("ž→", Text).
test(empty, Text == "[]") :-
    written([], Text).

:- end_tests(lrnn_json).
