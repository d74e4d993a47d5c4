:- module(lrnn_terms,
          [ read_next/3,                % +Stream, -Term, -Place
            read_placed/3,              % +Stream, -Term, -Place
            check_end/2,                % +Stream, +Place
            place_line/2,               % +Place, -Line
            line_column/3,              % +Place, -Line, -Column
            add_fault/3,                % +Place, +Format, +Arguments
            faulty/0,
            cut_short/0,
            collected_faults/1,         % -Faults
            clear_faults/0,
            variable_name/3,            % +Names, +Variable, -Name
            has_name/2,                 % +Names, +Variable
            term_text/2,                % +Term, -Text
            canonical_text/2,           % +Term, -Text
            atom_arguments/3,           % +Atom, -Name, -Arguments
            goal_parts/3,               % +Names, +Goal, -Parts
            name_arity/3,               % +Term, -Name, -Arity
            finite_number/1,            % +Number
            fact_fault/3,               % +Term, -Format, -Arguments
            atom_fault/3,               % +Term, -Format, -Arguments
            long_body_fault/3,          % +Goals, -Format, -Arguments
            goal_fault/4                % +Kind, +Goal, -Format, -Arguments
          ]).
:- use_module(library(lists), [append/3, memberchk/2]).
:- use_module(library(apply), [exclude/3, maplist/3]).
:- use_module(lrnn_language).

/** <module> Read terms of files, and say what is wrong with them

Files are read with read_term/3 and never consulted: no directive of theirs
runs, no operator of theirs takes effect, no hook is called. All faults of a
file are collected as fault(Line, Column, Message).
*/

:- op(1150, xfx, user:(::)).            % read/2 reads in module user
:- op(1150, xfx, lrnn_syntax:(::)).

:- dynamic
    fault_/3,                           % Line, Column, Message
    cut_short/0.                        % the file ends inside a term

%!  clear_faults is det.

clear_faults :-
    retractall(fault_(_, _, _)),
    retractall(cut_short).

%!  faulty is semidet.
%
%   A fault has been found.

faulty :-
    fault_(_, _, _),
    !.

%!  read_next(+Stream, -Term, -Place) is det.
%
%   Read one term. Place is place(Position, Names), Names a list of Name=Variable.
%   A syntax error is recorded as a fault and the next term is read instead.

read_next(Stream, Term, Place) :-
    catch(read_placed(Stream, Term0, Place0), Error, true),
    (   var(Error)
    ->  Term = Term0,
        Place = Place0
    ;   syntax_fault(Error),
        read_next(Stream, Term, Place)
    ).

%!  read_placed(+Stream, -Term, -Place) is det.
%
%   Read one term and where it stands; a syntax error is an exception.

read_placed(Stream, Term, place(Position, Names)) :-
    read_term(Stream, Term,
              [ module(lrnn_syntax),
                term_position(Position),
                variable_names(Names),
                syntax_errors(error)
              ]).

%!  place_line(+Place, -Line) is det.

place_line(Place, Line) :-
    (   Place = place(Position, _)
    ->  stream_position_data(line_count, Position, Line)
    ;   line_count(Place, Line)
    ).

%!  line_column(+Place, -Line, -Column) is det.

line_column(place(Position, _), Line, Column) :-
    stream_position_data(line_count, Position, Line),
    stream_position_data(line_position, Position, LinePosition),
    Column is LinePosition+1.

%!  check_end(+Stream, +Place) is det.
%
%   The term `end_of_file` was read: it may stand in the file itself.

check_end(Stream, Place) :-
    (   at_end_of_stream(Stream)
    ->  true
    ;   add_fault(Place, 'end_of_file. stands before the end of the file; delete it', [])
    ).

%   syntax_fault(+Error)
%
%   Where quotes or a comment are not closed, Prolog does not say where they
%   began: line 0 leaves it to others to find out.

syntax_fault(error(syntax_error(What), Context)) :-
    !,
    (   open_end(What)
    ->  assertz(cut_short)
    ;   true
    ),
    (   \+ unclosed(What),
        error_position(Context, Line, LinePosition)
    ->  Column is LinePosition+1
    ;   Line = 0,
        Column = 0
    ),
    syntax_message(What, Message),
    string_concat("syntax error: ", Message, Text),
    assertz(fault_(Line, Column, Text)).
syntax_fault(Error) :-
    throw(Error).

open_end(end_of_file).
open_end(What) :-
    unclosed(What).

unclosed(end_of_file_in_quoted(_)).
unclosed(end_of_file_in_block_comment).

error_position(stream(_, Line, LinePosition, _), Line, LinePosition).
error_position(file(_, Line, LinePosition, _), Line, LinePosition).

syntax_message(What, Message) :-
    known_syntax_error(What, Message),
    !.
syntax_message(undefined_char_escape(Char), Message) :-
    !,
    format(string(Message), 'unknown escape sequence \\~w; write \\\\ for a backslash', [Char]).
syntax_message(What, Message) :-
    format(string(Text), '~w', [What]),
    split_string(Text, "_", "", Words),
    atomic_list_concat(Words, ' ', Message).

known_syntax_error(operator_expected,
                   'a comma, a bracket, an operator or a full stop is missing before this').
known_syntax_error(end_of_clause_expected,
                   'the end of the clause is expected here; is a full stop missing?').
known_syntax_error(end_of_file,
                   'the file ends inside a clause; is a full stop missing?').
known_syntax_error(end_of_file_in_quoted(_),
                   'this quote is never closed').
known_syntax_error(end_of_file_in_block_comment,
                   'this comment is never closed; add */').
known_syntax_error(cannot_start_term,
                   'a term can\'t start here; is there a comma or a bracket too many, or of the wrong kind?').
known_syntax_error(quoted_punctuation, Message) :-
    known_syntax_error(cannot_start_term, Message).
known_syntax_error(illegal_number,
                   'this is not a valid number').
known_syntax_error(float_overflow,
                   'this number is too large').
known_syntax_error('Illegal character code',
                   'there is no character of this code').
known_syntax_error(operator_clash,
                   'operators clash here; add brackets').
known_syntax_error(operator_balance,
                   'operators are not balanced here; add brackets').
known_syntax_error(unknown_quasi_quotation_syntax(_, _),
                   'quasi quotations are not supported').

%!  add_fault(+Place, +Format, +Arguments) is det.
%
%   Arguments are terms; they are shown with the names that their variables
%   have at Place. In mode `fast` it is enough to know that there is a fault.

add_fault(Place, Format, Arguments) :-
    (   Place = place(_, Names)
    ->  line_column(Place, Line, Column),
        maplist(shown_term(Names), Arguments, Texts),
        format(string(Message), Format, Texts),
        assertz(fault_(Line, Column, Message))
    ;   assertz(fault_(0, 0, ""))
    ).

shown_term(Names, Term, Text) :-
    term_variables(Term, Variables),
    exclude(has_name(Names), Variables, Unnamed),
    maplist(anonymous, Unnamed, More),
    append(Names, More, All),
    with_output_to(string(Text),
                   write_term(Term, [ quoted(true), variable_names(All),
                                      module(lrnn_syntax),
                                      spacing(next_argument),
                                      max_depth(12)
                                    ])).

%!  has_name(+Names, +Variable) is semidet.

has_name(Names, Variable) :-
    variable_name(Names, Variable, _).

anonymous(Variable, '_'=Variable).

%!  variable_name(+Names, +Variable, -Name) is semidet.

variable_name([Name0=Variable0|Names], Variable, Name) :-
    (   Variable0 == Variable
    ->  Name = Name0
    ;   variable_name(Names, Variable, Name)
    ).

%!  collected_faults(-Faults) is det.
%
%   Faults are in the order of the file.

collected_faults(Faults) :-
    findall(fault(Line, Column, Message), fault_(Line, Column, Message), Faults0),
    sort(0, @=<, Faults0, Faults).

%!  term_text(+Term, -Text) is det.
%
%   Text is a ground term as a user would write it.

term_text(Term, Text) :-
    with_output_to(string(Text),
                   write_term(Term, [ quoted(true), module(lrnn_syntax),
                                      spacing(next_argument)
                                    ])).

%!  canonical_text(+Term, -Text) is det.
%
%   Text reads back as Term anywhere.

canonical_text(Term, Text) :-
    with_output_to(string(Text),
                   write_term(Term, [ quoted(true), ignore_ops(true),
                                      module(lrnn_syntax)
                                    ])).

%!  atom_arguments(+Atom, -Name, -Arguments) is det.

atom_arguments(Atom, Name, Arguments) :-
    (   atom(Atom)
    ->  Name = Atom,
        Arguments = []
    ;   Atom =.. [Name|Arguments]
    ).

%!  goal_parts(+Names, +Goal, -Parts) is semidet.
%
%   Take a goal of a body, or a head, apart: Parts is goal(Kind, Name, Terms),
%   Kind by goal_kind/2, Name and Terms those of the atom in a negation. A term is
%   variable(Name), constant(Text) if it is atomic, or compound(Name, Terms).
%   Fails for terms that are nested more deeply than Python should follow.

goal_parts(Names, Goal, goal(Kind, Name, Parts)) :-
    goal_kind(Goal, Kind),
    (   Kind == negation
    ->  Goal = (\+ Atom)
    ;   Atom = Goal
    ),
    atom_arguments(Atom, Name, Terms),
    term_parts(Terms, Names, 20, Parts).

term_parts([], _, _, []).
term_parts([Term|Terms], Names, Depth, [Part|Parts]) :-
    term_part(Term, Names, Depth, Part),
    term_parts(Terms, Names, Depth, Parts).

term_part(Term, Names, _, variable(Name)) :-
    var(Term),
    !,
    variable_name(Names, Term, Name).
term_part(Term, Names, Depth, compound(Name, Parts)) :-
    compound(Term),
    !,
    Depth > 0,
    Depth1 is Depth-1,
    compound_name_arguments(Term, Name, Terms),
    term_parts(Terms, Names, Depth1, Parts).
term_part(Term, _, _, constant(Text)) :-
    canonical_text(Term, Text).

%!  name_arity(+Term, -Name, -Arity) is det.
%
%   As functor/3, which does not take terms with empty brackets.

name_arity(Term, Name, Arity) :-
    (   compound(Term)
    ->  compound_name_arity(Term, Name, Arity)
    ;   Name = Term,
        Arity = 0
    ).

%!  finite_number(+Number) is semidet.

finite_number(Number) :-
    number(Number),
    \+ rational_not_integer(Number),
    catch(Float is float(Number), _, fail),
    Float =:= Float,
    abs(Float) =\= inf.

rational_not_integer(Number) :-
    rational(Number),
    \+ integer(Number).

%!  fact_fault(+Term, -Format, -Arguments) is semidet.

fact_fault(Term, Format, []) :-
    var(Term),
    !,
    Format = 'a variable is not a fact; names that start with a capital letter or _ are variables, quote them'.
fact_fault((:- Directive), Format, [Directive]) :-
    !,
    Format = 'the directive `:- ~w` is not run; delete it, files hold facts and clauses only'.
fact_fault((?- Goal), Format, [Goal]) :-
    !,
    Format = 'the query `?- ~w` is not run; queries stand in the examples as query(Atom, Target)'.
fact_fault((Head :- _), Format, [Head]) :-
    !,
    Format = 'a clause for ~w inside a model; move it outside all models to make it background knowledge'.
fact_fault((_ --> _), Format, []) :-
    !,
    Format = 'grammar rules are not supported; write facts and clauses'.
fact_fault(Atom, Format, Arguments) :-
    atom_fault(Atom, Format, Arguments),
    !.
fact_fault(Atom, Format, [Atom]) :-
    \+ ground(Atom),
    Format = 'the fact ~w is not ground; names that start with a capital letter or _ are variables, quote them'.

%!  atom_fault(+Term, -Format, -Arguments) is semidet.
%
%   Term can't be an atom of a predicate of the user's.

atom_fault(Term, Format, [Term, Name]) :-
    compound(Term),
    compound_name_arity(Term, Name, 0),
    atom(Name),
    !,
    Format = '~w has no arguments; write ~w without brackets'.
atom_fault(Term, Format, []) :-
    compound(Term),
    compound_name_arity(Term, '.', 2),
    !,
    Format = 'a full stop inside a term; end each clause with a full stop and a blank'.
atom_fault(Term, Format, [Term]) :-
    not_an_atom(Term),
    !,
    Format = '~w is not an atom; write a predicate with its arguments'.
atom_fault(Term, Format, [Name/Arity]) :-
    functor(Term, Name, Arity),
    too_wide(Arity),
    !,
    wide_format(Format).
atom_fault(Term, Format, [Name/Arity]) :-
    functor(Term, Name, Arity),
    (   guard_builtin(Name/Arity)
    ;   control_construct(Name/Arity)
    ;   memberchk(Name/Arity, [(:-)/1, (:-)/2, (?-)/1, (-->)/2, (::)/2])
    ),
    !,
    Format = '~w is part of the language and can\'t be defined; choose another name'.

wide_format('~w has more arguments than the 1000 that a predicate can have; divide it into several').

%!  long_body_fault(+Goals, -Format, -Arguments) is semidet.

long_body_fault(Goals, Format, [Count]) :-
    length(Goals, Count),
    Count > 200,
    Format = 'this body has ~w goals, and 200 is the limit; define a predicate for some of them'.

%!  goal_fault(+Kind, +Goal, -Format, -Arguments) is det.
%
%   What is wrong with a goal, from its kind by goal_kind/2.

goal_fault(variable, Goal, Format, [Goal]) :-
    Format = 'the goal ~w is a variable; write an atom'.
goal_fault(not_callable, Goal, Format, [Goal]) :-
    Format = '~w is not an atom; write a predicate with its arguments'.
goal_fault(construct(!/0), _, Format, []) :-
    !,
    Format = 'the cut has no meaning here: all solutions count; remove it'.
goal_fault(construct((;)/2), _, Format, []) :-
    !,
    Format = 'a disjunction in a rule; write one rule for each alternative'.
goal_fault(construct(not/1), _, Format, []) :-
    !,
    Format = 'not/1 is not allowed in a body; write \\+'.
goal_fault(construct(Predicate), _, Format, [Predicate]) :-
    Format = '~w is not allowed in a body: only atoms, comparison, arithmetic and \\+ are'.
goal_fault(wide(Predicate), _, Format, [Predicate]) :-
    wide_format(Format).
goal_fault(impure(Function), _, Format, [Function]) :-
    Format = 'the arithmetic function ~w changes from call to call and is not allowed'.
goal_fault(unknown_function(Name/0), _, Format, [Name]) :-
    !,
    Format = '~w is not a number; compare names with ==, \\== or @<'.
goal_fault(unknown_function(Function), _, Format, [Function]) :-
    Format = 'there is no arithmetic function ~w'.
goal_fault(negated(Goal), _, Format, [Goal]) :-
    Format = '\\+ takes one atom, not ~w; use the opposite comparison, or define a predicate for it in the data'.
