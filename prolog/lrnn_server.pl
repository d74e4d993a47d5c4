:- module(lrnn_server,
          [ start/2,                    % +Files, +Rows
            handle/1                    % -Outcome
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(apply), [maplist/2, maplist/3]).
:- use_module(lrnn_data).
:- use_module(lrnn_grounder).
:- use_module(lrnn_import).
:- use_module(lrnn_json).
:- use_module(lrnn_language).
:- use_module(lrnn_rows).
:- use_module(lrnn_store).
:- use_module(lrnn_template).
:- use_module(lrnn_terms).

/** <module> Requests of the Python program

Files connect the two: the text to read, the request (one Prolog term), the
reply (JSON), and several for rows of integers. handle/1 answers one request and never
fails or throws: what goes wrong is part of the reply.
*/

:- dynamic file/2.

%!  start(+Files, +Rows) is det.
%
%   Set the paths of the files for text, request and reply, and of those for
%   rows.

start([Text, Request, Reply], Rows) :-
    retractall(file(_, _)),
    assertz(file(text, Text)),
    assertz(file(request, Request)),
    assertz(file(reply, Reply)),
    assertz(file(rows, Rows)).

%!  handle(-Outcome) is det.
%
%   Answer the request in its file: a token, then the request. The reply
%   carries the same token. Outcome is empty, or why no reply could be written.

handle(Outcome) :-
    catch(( read_request(Token, Request),
            reply_to(Request, json(Pairs)),
            write_reply(json([token=Token|Pairs])),
            Outcome = ''
          ),
          Error,
          unwritten(Error, Outcome)),
    !.

unwritten(Error, Outcome) :-
    error_reply(Error, json([error=Text|_])),
    atom_string(Outcome, Text).

reply_to(error(Error), Reply) :-
    !,
    error_reply(Error, Reply).
reply_to(Request, Reply) :-
    catch(answer(Request, Reply), Error, error_reply(Error, Reply)),
    !.
reply_to(_, json([error="the request failed", kind="internal"])).

%   read_request(-Token, -Request)
%
%   Request is error(Error) where it can't be read.

read_request(Token, Request) :-
    file(request, File),
    setup_call_cleanup(
        open(File, read, Stream, [encoding(utf8)]),
        ( read_term(Stream, Token, []),
          catch(read_term(Stream, Request, [module(lrnn_syntax)]), Error, Request = error(Error))
        ),
        close(Stream)).

write_reply(Reply) :-
    file(reply, File),
    with_output(File, [encoding(utf8)], json_write(Stream, Reply), Stream).

%   with_output(+File, +Options, :Goal, -Stream)
%
%   Write to a file. What is still in the buffer is written before the stream
%   is closed: closing would not tell of a full disk.

with_output(File, Options, Goal, Stream) :-
    setup_call_cleanup(
        open(File, write, Stream, Options),
        ( call(Goal), flush_output(Stream) ),
        close(Stream, [force(true)])).

with_text(Goal, Stream) :-
    file(text, File),
    setup_call_cleanup(
        open(File, read, Stream, [encoding(utf8), bom(false)]),
        call(Goal),
        close(Stream)).

with_rows(Goal, Streams) :-
    file(rows, Files),
    setup_call_cleanup(
        maplist(open_rows, Files, Streams),
        ( call(Goal), maplist(flush_output, Streams) ),
        maplist(close_rows, Streams)).

open_rows(File, Stream) :-
    open(File, write, Stream, [encoding(wchar_t), bom(false), buffer(full)]).

close_rows(Stream) :-
    close(Stream, [force(true)]).

%   answer(+Request, -Reply)

answer(version, json([version=Version])) :-
    current_prolog_flag(version, Version).
answer(limits(Bytes), json([])) :-
    set_prolog_flag(stack_limit, Bytes),
    set_prolog_flag(table_space, Bytes).
answer(template, json([members=Members, faults=Faults])) :-
    with_text(read_template(Stream, template(Members0, Faults0)), Stream),
    maplist(member_json, Members0, Members),
    maplist(fault_json, Faults0, Faults).
answer(data(LineOffset), Reply) :-
    clear_model,
    with_text(read_data(Stream, LineOffset, data(Form, Examples0, Queries0, Background0, Faults0)),
              Stream),
    maplist(example_json, Examples0, Examples),
    maplist(query_json, Queries0, Queries),
    maplist(background_json, Background0, Background),
    maplist(fault_json, Faults0, Faults),
    findall([Text, Arity],
            ( data_predicate(Name/Arity, _, _), text(Name, Text) ),
            Predicates),
    weight_values(Weights),
    data_bias(Bias0),
    maplist(bias_json(LineOffset), Bias0, Bias),
    Reply = json([ form=Form, bias=Bias, examples=Examples, queries=Queries, background=Background,
                   predicates=Predicates, weights=Weights, faults=Faults
                 ]),
    with_rows(( Streams = [FactStream, ObjectStream|_],
                write_examples(FactStream, ObjectStream)
              ),
              Streams).
answer(terms, json([terms=Terms])) :-
    with_text(read_terms(Stream, Terms), Stream).
answer(background(Facts), json([])) :-
    define_background_facts(Facts).
answer(active(Examples), json([])) :-
    clear_extensions,
    set_active_examples(Examples).
answer(queries(Queries), json([])) :-
    clear_extensions,
    set_queries(Queries).
answer(extend(Level, Predicates, Clauses), json([])) :-
    hold_facts,
    extend(Level, Predicates, Clauses).
answer(limited(Most, Request), Reply) :-
    limited_rows(Most, answer(Request, Reply)).
answer(table(Body, Variables, Queried, Identity), json([wide=Wide, levels=Levels])) :-
    hold_facts,
    wide(Wide),
    with_rows(write_table(Streams, Body, Variables, Queried, Identity, Levels), Streams).
answer(facts(Predicate), json([wide=Wide, levels=Levels])) :-
    hold_facts,
    wide(Wide),
    with_rows(write_facts(Streams, Predicate, Levels), Streams).
answer(object_names, json([])) :-
    file(rows, [File|_]),
    with_output(File, [encoding(utf8), bom(false), buffer(full)], write_object_names(Stream), Stream).
answer(names(Pairs), json([names=Names])) :-
    findall(Name,
            ( member(Example-Identifier, Pairs),
              object_term(Example, Identifier, Term),
              with_output_to(string(Name), write_term(Term, [quoted(true)]))
            ),
            Names).

wide(Wide) :-
    (   wide_identifiers
    ->  Wide = true
    ;   Wide = false
    ).

text(Value, Text) :-
    format(string(Text), '~w', [Value]).

fault_json(fault(Line, Column, Message), [Line, Column, Message]).

example_json(example(_, Text, Line, Fold, Objects, Facts), [Text, Line, Fold, Objects, Facts]).

query_json(query(Example, Name/Arity, Places, Text, Target0, Line),
           [Example, NameText, Arity, Places, Text, Target, Line]) :-
    atom_string(Name, NameText),
    (   Target0 = class(Target)
    ->  true
    ;   Target = Target0
    ).

member_json(member(Line, Column, Name, Rules0, Settings0),
            json([line=Line, column=Column, name=Name, rules=Rules, settings=Settings])) :-
    maplist(rule_json, Rules0, Rules),
    maplist(setting_json, Settings0, Settings).

bias_json(LineOffset, bias(Line0, Column, Name, Sorts0), [Line, Column, NameText, Sorts]) :-
    Line is Line0+LineOffset,
    text(Name, NameText),
    maplist(text, Sorts0, Sorts).

setting_json(setting(Line, Column, Name, Value), [Line, Column, Name, Value]).

rule_json(rule(Line, Column, Weight, Fixed, Head0, Body0, Guards0),
          [Line, Column, Weight, Fixed, Head, Body, Guards]) :-
    atom_json(Head0, Head),
    maplist(body_atom_json, Body0, Body),
    maplist(guard_json, Guards0, Guards).

atom_json(atom(Name, Parts0), [Text, Parts]) :-
    text(Name, Text),
    maplist(part_json, Parts0, Parts).

body_atom_json(Atom, [Text, Parts, System]) :-
    atom_json(Atom, [Text, Parts]),
    Atom = atom(Name, _),
    length(Parts, Arity),
    (   prolog_predicate(Name/Arity)
    ->  System = true
    ;   System = false
    ).

part_json(variable(Name), [true, Text]) :-
    text(Name, Text).
part_json(constant(Text), [false, Text]).

guard_json(guard(Parts0, Negated0, Goal0), [Parts, Negated, Goal]) :-
    maplist(text, Parts0, Parts),
    (   Negated0 = [Name, Arity]
    ->  text(Name, NameText),
        Negated = [NameText, Arity]
    ;   Negated = []
    ),
    goal_json(Goal0, Goal).

%   goal_json(+Parts, -Json)
%
%   A goal from goal_parts/3: its kind, name and terms. A variable is a list of
%   its name, a constant a text, a compound term a list of its name and terms.

goal_json(null, null).
goal_json(goal(Kind, Name, Terms0), [Kind, Text, Terms]) :-
    text(Name, Text),
    maplist(term_json, Terms0, Terms).

term_json(variable(Name), [Text]) :-
    text(Name, Text).
term_json(constant(Text), Text).
term_json(compound(Name, Terms0), [Text, Terms]) :-
    text(Name, Text),
    maplist(term_json, Terms0, Terms).

%   A background clause as text and, the head first, as goals; with what Python
%   needs to order and check it.

background_json(background(Line, Column, (Head :- Body)),
                json([ line=Line, column=Column, head=HeadJson, body=BodyJson,
                       fact=IsFact, text=Text, goals=GoalsJson
                     ])) :-
    (   Body == true
    ->  IsFact = true
    ;   IsFact = false
    ),
    predicate_json(Head, HeadJson),
    body_goals(Body, Goals),
    findall(Json,
            ( member(Goal, Goals),
              (   goal_kind(Goal, atom)
              ->  Atom = Goal, Negated = false
              ;   Goal = (\+ Atom), Negated = true
              ),
              predicate_json(Atom, [Name, Arity]),
              functor(Atom, Name0, _),
              (   prolog_predicate(Name0/Arity)
              ->  System = true
              ;   System = false
              ),
              Json = [Name, Arity, Negated, System]
            ),
            BodyJson),
    (   Body == true
    ->  Clause = Head
    ;   Clause = (Head :- Body)
    ),
    term_variables(Clause, Variables),
    variable_names(Variables, 0, Names),
    (   maplist(goal_parts(Names), [Head|Goals], Parts)
    ->  maplist(goal_json, Parts, GoalsJson)
    ;   GoalsJson = null
    ),
    with_output_to(string(Text),
                   write_term(Clause, [ quoted(true), ignore_ops(true),
                                        variable_names(Names), module(lrnn_syntax)
                                      ])).

variable_names([], _, []).
variable_names([Variable|Variables], Index, [Name=Variable|Names]) :-
    atom_concat('V', Index, Name),
    Next is Index+1,
    variable_names(Variables, Next, Names).

predicate_json(Atom, [Text, Arity]) :-
    functor(Atom, Name, Arity),
    text(Name, Text).

%   error_reply(+Error, -Reply)

error_reply(error(resource_error(What), _), json([error=Text, kind="memory"])) :-
    !,
    text(What, Text).
error_reply(error(too_many_rows(Most), _), json([error=Text, kind="rows"])) :-
    !,
    text(Most, Text).
error_reply(error(type_error(Type, Value), _), json([error=Text, kind="guard"])) :-
    !,
    format(string(Text), '~q is not of type ~w; test it with ~w/1 before', [Value, Type, Type]).
error_reply(error(evaluation_error(What), _), json([error=Text, kind="guard"])) :-
    !,
    (   evaluation_text(What, Text)
    ->  true
    ;   text(What, Text)
    ).
error_reply(error(domain_error(_, Value), context(Function, _)), json([error=Text, kind="guard"])) :-
    nonvar(Function),
    !,
    functor_text(Function, Name),
    format(string(Text), '~q is outside of what ~w takes; compare it before', [Value, Name]).
error_reply(error(instantiation_error, _), json([error=Text, kind="guard"])) :-
    called_predicates([Predicate|Predicates]),
    !,
    maplist(indicator_text, [Predicate|Predicates], Names0),
    atomic_list_concat(Names0, ' or ', Names),
    format(string(Text), 'a variable is not bound; let atoms before it bind the arguments of ~w', [Names]).
error_reply(error(instantiation_error, _), json([error="a variable is not bound", kind="guard"])) :-
    !.
error_reply(error(io_error(_, _), context(_, Message)), json([error=Text, kind="system"])) :-
    !,
    text(Message, Text).
error_reply(Error, json([error=Text, kind="internal"])) :-
    format(string(Text), '~q', [Error]).

functor_text(Module:Predicate, Text) :-
    atom(Module),
    !,
    indicator_text(Predicate, Text).
functor_text(Predicate, Text) :-
    indicator_text(Predicate, Text).

indicator_text(Predicate, Text) :-
    format(string(Text), '~q', [Predicate]).

evaluation_text(zero_divisor, "division by zero").
evaluation_text(undefined, "the result is undefined").
evaluation_text(float_overflow, "the result is too large").
evaluation_text(too_large, "the result has more than 3000 digits").
evaluation_text(float_underflow, "the result is too small").
