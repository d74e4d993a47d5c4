:- module(lrnn_import,
          [ read_terms/2                % +Stream, -Terms
          ]).
:- use_module(library(lists), [append/3, member/2]).
:- use_module(library(apply), [maplist/3, exclude/3]).
:- use_module(lrnn_data).
:- use_module(lrnn_language).
:- use_module(lrnn_terms).

/** <module> Read the Prolog files of other systems

All terms of a file are given back as JSON values, for importers to look at.
They are read with read_term/3: no directive runs, no operator of the file
takes effect. The only operator beyond those of Prolog is the # of Aleph's
modes.
*/

:- op(200, fy, lrnn_import_syntax:(#)).
:- op(0, xfx, lrnn_import_syntax:(::)).

%!  read_terms(+Stream, -Terms) is det.
%
%   Terms are [Line, Column, Kind, Term, More]. Kind is
%
%     - `fact`: More is empty
%     - `clause`: Term is the head, More is [Text, Goals], the clause as text
%       and the atoms of its body, those under a negation too
%     - `directive`: Term is the goal, More is empty
%     - `fault`: Term is a message on a clause that our language can't say,
%       or on a syntax error; More is `clause` or `syntax`
%
%   A term is a list of its name and arguments, a list of one for a variable,
%   or the text of any other term.

read_terms(Stream, Terms) :-
    clear_faults,
    read_all(Stream, Terms),
    clear_faults.

read_all(Stream, Terms) :-
    catch(read_term(Stream, Term,
                    [ module(lrnn_import_syntax),
                      term_position(Position),
                      variable_names(Names),
                      syntax_errors(error)
                    ]),
          Error,
          true),
    (   nonvar(Error)
    ->  lrnn_terms:syntax_fault(Error),
        collected_faults([fault(Line, Column, Message)]),
        clear_faults,
        Terms = [[Line, Column, fault, Message, syntax]|Rest],
        read_all(Stream, Rest)
    ;   Term == end_of_file
    ->  Terms = []
    ;   line_column(place(Position, Names), Line, Column),
        item(Term, Names, Kind, Value, More),
        Terms = [[Line, Column, Kind, Value, More]|Rest],
        read_all(Stream, Rest)
    ).

item(Term, Names, directive, Value, []) :-
    nonvar(Term),
    ( Term = (:- Goal) ; Term = (?- Goal) ),
    !,
    term_json(Goal, Names, Value).
item((Head :- _), Names, directive, Value, []) :-
    Head == false,                      % an integrity constraint of Aleph
    !,
    term_json(Head, Names, Value).
item(Term, Names, fault, Message, clause) :-
    lrnn_data:outside_fault(Term, Format, Arguments),
    \+ reserved(Term),
    !,
    maplist(lrnn_terms:shown_term(Names), Arguments, Texts),
    format(string(Message), Format, Texts).
item((Head :- Body), Names0, clause, Value, [Text, Goals]) :-
    !,
    all_names((Head :- Body), Names0, Names),
    term_json(Head, Names, Value),
    clause_text((Head :- Body), Names, Text),
    findall(Goal,
            ( body_atom(Body, Atom), term_json(Atom, Names, Goal) ),
            Goals).
item(Term, Names, fact, Value, []) :-
    term_json(Term, Names, Value).

%   Terms that importers look into, whatever data files make of them.

reserved(Term) :-
    nonvar(Term),
    \+ Term = (_ :- _),
    (   subsumes_term(query(_), Term)
    ;   subsumes_term(query(_, _), Term)
    ;   subsumes_term(fold(_), Term)
    ).

%   body_atom(+Body, -Atom) is nondet.

body_atom(Body, _) :-
    var(Body),
    !,
    fail.
body_atom((A, B), Atom) :-
    !,
    ( body_atom(A, Atom) ; body_atom(B, Atom) ).
body_atom((A ; B), Atom) :-
    !,
    ( body_atom(A, Atom) ; body_atom(B, Atom) ).
body_atom(\+ A, Atom) :-
    !,
    body_atom(A, Atom).
body_atom(Goal, Goal) :-
    goal_kind(Goal, atom).

%   all_names(+Term, +Names0, -Names)
%
%   Names for all variables of a term: those of the file, _1, _2, ... for others.

all_names(Term, Names0, Names) :-
    term_variables(Term, Variables),
    exclude(has_name(Names0), Variables, Unnamed),
    numbered(Unnamed, 1, More),
    append(Names0, More, Names).

numbered([], _, []).
numbered([Variable|Variables], Number, [Name=Variable|Names]) :-
    atom_concat('_', Number, Name),
    Next is Number+1,
    numbered(Variables, Next, Names).

clause_text(Clause, Names, Text) :-
    with_output_to(string(Text),
                   write_term(Clause, [ quoted(true), variable_names(Names),
                                        module(lrnn_syntax),
                                        spacing(next_argument)
                                      ])).

%   term_json(+Term, +Names, -Json)
%
%   What is nested deeper than importers look is text.

term_json(Term, Names, Json) :-
    term_json(Term, Names, 8, Json).

term_json(Term, Names, _, [Text]) :-
    var(Term),
    !,
    (   variable_name(Names, Term, Name)
    ->  atom_string(Name, Text)
    ;   Text = "_"
    ).
term_json(Term, Names, Depth, [Text|Arguments]) :-
    Depth > 0,
    compound(Term),
    \+ is_dict(Term),
    \+ Term = [_|_],
    compound_name_arguments(Term, Name, Arguments0),
    Arguments0 \== [],
    Name \== {},
    !,
    atom_string(Name, Text),
    Depth1 is Depth-1,
    term_arguments(Arguments0, Names, Depth1, Arguments).
term_json(Term, _, _, Text) :-
    canonical_text(Term, Text).

term_arguments([], _, _, []).
term_arguments([Argument0|Arguments0], Names, Depth, [Argument|Arguments]) :-
    term_json(Argument0, Names, Depth, Argument),
    term_arguments(Arguments0, Names, Depth, Arguments).
