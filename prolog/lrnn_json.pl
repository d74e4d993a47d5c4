:- module(lrnn_json,
          [ json_write/2                % +Stream, +Value
          ]).
:- use_module(library(lists), [numlist/3]).

/** <module> Write JSON

A value is a number, a string or atom, a list, true, false, null, or an object
json([Key=Value, ...]). SWI-Prolog's own JSON library is in a package that
small installations leave out, and replies need no more than this.
*/

%!  json_write(+Stream, +Value) is det.

json_write(Stream, Value) :-
    number(Value),
    !,
    write(Stream, Value).
json_write(Stream, json(Pairs)) :-
    !,
    put_char(Stream, '{'),
    write_members(Pairs, Stream),
    put_char(Stream, '}').
json_write(Stream, Value) :-
    is_list(Value),
    !,
    put_char(Stream, '['),
    write_elements(Value, Stream),
    put_char(Stream, ']').
json_write(Stream, Value) :-
    literal(Value),
    !,
    write(Stream, Value).
json_write(Stream, Value) :-
    put_char(Stream, '"'),
    (   is_plain(Value)
    ->  write(Stream, Value)
    ;   string_codes(Value, Codes),
        write_codes(Codes, Stream)
    ),
    put_char(Stream, '"').

%   is_plain(+Text) is semidet.
%
%   No character of Text is written in another way, so that it can be written at
%   once. A code of 0 would hide those that follow it in what a text is split at.

is_plain(Text) :-
    special_characters(Special),
    split_string(Text, Special, "", [_]),
    \+ sub_string(Text, _, _, _, "\x00\").

%   special_characters(-Characters)

:- dynamic special_characters/1.

:- numlist(1, 0x1F, Controls),
   string_codes(Special, [0'", 0'\\|Controls]),
   assertz(special_characters(Special)).

literal(true).
literal(false).
literal(null).

write_members([], _).
write_members([Key=Value|Pairs], Stream) :-
    json_write(Stream, Key),
    put_char(Stream, ':'),
    json_write(Stream, Value),
    (   Pairs == []
    ->  true
    ;   put_char(Stream, ','),
        write_members(Pairs, Stream)
    ).

write_elements([], _).
write_elements([Value|Values], Stream) :-
    json_write(Stream, Value),
    (   Values == []
    ->  true
    ;   put_char(Stream, ','),
        write_elements(Values, Stream)
    ).

write_codes([], _).
write_codes([Code|Codes], Stream) :-
    write_code(Code, Stream),
    write_codes(Codes, Stream).

write_code(0'", Stream) :-
    !,
    write(Stream, '\\"').
write_code(0'\\, Stream) :-
    !,
    write(Stream, '\\\\').
write_code(Code, Stream) :-
    Code < 0x20,
    !,
    format(Stream, '\\u~|~`0t~16r~4+', [Code]).
write_code(Code, Stream) :-
    put_char(Stream, Code).
