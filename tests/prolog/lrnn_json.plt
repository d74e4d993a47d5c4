/** <module> Tests of writing JSON
*/

:- use_module(library(plunit)).
:- use_module('../../prolog/lrnn_json').

:- begin_tests(json).

text(Value, Text) :-
    with_output_to(string(Text),
                   ( current_output(Stream),
                     json_write(Stream, Value)
                   )).

test(integer, Text == "-12") :-
    text(-12, Text).
test(large_integer, Text == "100000000000000000000") :-
    text(100000000000000000000, Text).
test(float, Text == "0.1") :-
    text(0.1, Text).
test(large_float, Number =:= 1.0e300) :-
    text(1.0e300, Text),
    number_string(Number, Text).
test(string, Text == "\"text\"") :-
    text("text", Text).
test(atom, Text == "\"name\"") :-
    text(name, Text).
test(empty, Text == "\"\"") :-
    text("", Text).
test(literals, all(Text == ["true", "false", "null"])) :-
    member(Value, [true, false, null]),
    text(Value, Text).
test(text_is_no_literal, Text == "\"true\"") :-
    text("true", Text).
test(list, Text == "[1,\"a\",[],[2]]") :-
    text([1, a, [], [2]], Text).
test(object, Text == "{\"a\":1,\"b\":{}}") :-
    text(json([a=1, b=json([])]), Text).
test(every_control_character, Texts == []) :-
    findall(Text, wrongly_escaped(Text), Texts).

wrongly_escaped(Text) :-
    between(0, 0x1F, Code),
    format(string(Escaped), "\\u~|~`0t~16r~4+", [Code]),
    member(Before-After, [[]-[], [0'a]-[], []-[0'b], [0x1F600]-[0'b]]),
    append(Before, [Code|After], Codes),
    string_codes(Value, Codes),
    string_codes(First, Before),
    string_codes(Last, After),
    format(string(Expected), "\"~w~w~w\"", [First, Escaped, Last]),
    text(Value, Text),
    Text \== Expected.
test(quotes, Text == "\"a\\\"b\\\\c\"") :-
    text("a\"b\\c", Text).
test(control, Text == "\"\\u000a\\u0000\\u001f\"") :-
    text("\n\x0\\x1f\", Text).
test(unicode, Text == "\"é𝒳\"") :-
    text("é𝒳", Text).

:- end_tests(json).
