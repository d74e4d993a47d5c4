:- module(lrnn_reader,
          [ read_data/3,                % +Stream, +LineOffset, -Data
            read_template/2             % +Stream, -Template
          ]).
:- use_module(library(lists), [append/3, member/2, memberchk/2]).
:- use_module(library(apply), [exclude/3, maplist/3]).
:- use_module(lrnn_language).
:- use_module(lrnn_store).

/** <module> Read data and template files

Files are read with read_term/3 and never consulted: no directive of theirs
runs, no operator of theirs takes effect, no hook is called. All faults of a
file are collected as fault(Line, Column, Message).
*/

:- op(1150, xfx, lrnn_syntax:(::)).
:- op(1150, xfx, ::).

:- dynamic
    loader/8,                           % see register_loader/2
    fault_/3,
    cut_short/0,                        % the file ends inside a term
    outside_/2,                         % Place, Term
    block_seen/0,
    model_name/2,                       % Id, Line
    query_/6,
    example_name/7.

%   read_next(+Mode, +Stream, -Term, -Place)
%
%   Read one term. In mode `careful` Place is place(Position, Names), Names a
%   list of Name=Variable, and a syntax error is recorded as a fault and the
%   next term is read instead. In mode `fast`, for files that are expected to
%   be free of faults, a syntax error is an exception and Place is the stream,
%   which stands where the term ends.

read_next(fast, Stream, Term, Stream) :-
    read_term(Stream, Term, [module(lrnn_syntax)]).
read_next(careful, Stream, Term, Place) :-
    catch(read_placed(Stream, Term0, Place0), Error, true),
    (   var(Error)
    ->  Term = Term0,
        Place = Place0
    ;   syntax_fault(Error),
        read_next(careful, Stream, Term, Place)
    ).

read_placed(Stream, Term, place(Position, Names)) :-
    read_term(Stream, Term,
              [ module(lrnn_syntax),
                term_position(Position),
                variable_names(Names),
                syntax_errors(error)
              ]).

place_line(Place, Line) :-
    (   Place = place(Position, _)
    ->  stream_position_data(line_count, Position, Line)
    ;   line_count(Place, Line)
    ).

line_column(place(Position, _), Line, Column) :-
    stream_position_data(line_count, Position, Line),
    stream_position_data(line_position, Position, LinePosition),
    Column is LinePosition+1.

%   check_end(+Stream, +Place)
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

%   add_fault(+Place, +Format, +Arguments)
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

has_name(Names, Variable) :-
    variable_name(Names, Variable, _).

anonymous(Variable, '_'=Variable).

variable_name([Name0=Variable0|Names], Variable, Name) :-
    (   Variable0 == Variable
    ->  Name = Name0
    ;   variable_name(Names, Variable, Name)
    ).

collected_faults(Faults) :-
    findall(fault(Line, Column, Message), fault_(Line, Column, Message), Faults0),
    sort(0, @=<, Faults0, Faults).

%   term_text(+Term, -Text) is det.
%
%   Text is a ground term as a user would write it.

term_text(Term, Text) :-
    with_output_to(string(Text),
                   write_term(Term, [ quoted(true), module(lrnn_syntax),
                                      spacing(next_argument)
                                    ])).

%   canonical_text(+Term, -Text) is det.
%
%   Text reads back as Term anywhere.

canonical_text(Term, Text) :-
    with_output_to(string(Text),
                   write_term(Term, [ quoted(true), ignore_ops(true),
                                      module(lrnn_syntax)
                                    ])).


		 /*******************************
		 *             DATA             *
		 *******************************/

%!  read_data(+Stream, +LineOffset, -Data) is det.
%
%   Read examples and background knowledge into the store. LineOffset is added
%   to all line numbers: the text may be the tail of a longer one. Data is
%   data(Form, Examples, Queries, Background, Faults) with
%
%     - Form: `blocks`, or `single` where there is no block and the whole text
%       is one example
%     - Examples: example(Index, IdText, Line, Fold, First, Next, Facts), Fold 0
%       for none, First up to but not including Next its objects
%     - Queries: query(Example, Name/Arity, Identifiers, Text, Target, Line)
%     - Background: background(Line, Column, Clause)
%     - Faults: fault(Line, Column, Message), Line 0 for quotes or a comment
%       that are never closed

read_data(Stream, LineOffset, data(Form, Examples, Queries, Background, Faults)) :-
    stream_property(Stream, position(Start)),
    (   catch(read_all(fast, Stream, Background0), error(syntax_error(_), _), fail),
        \+ fault_(_, _, _)
    ->  true
    ;   set_stream_position(Stream, Start),
        read_all(careful, Stream, Background0)
    ),
    (   block_seen
    ->  Form = blocks
    ;   Form = single
    ),
    findall(example(Index, Text, Line, Fold, First, Next, Count),
            ( example_name(Index, Text, Line0, Fold, First, Next, Count),
              Line is Line0+LineOffset
            ),
            Examples),
    findall(query(Example, Predicate, Identifiers, Text, Target, Line),
            ( query_(Example, Predicate, Identifiers, Text, Target, Line0),
              Line is Line0+LineOffset
            ),
            Queries),
    findall(background(Line, Column, Clause),
            ( member(background(Line0, Column, Clause), Background0),
              Line is Line0+LineOffset
            ),
            Background),
    findall(fault(Line, Column, Message),
            ( collected_faults(Faults0),
              member(fault(Line0, Column, Message), Faults0),
              (   Line0 =:= 0
              ->  Line = 0
              ;   Line is Line0+LineOffset
              )
            ),
            Faults),
    clear_reader.

read_all(Mode, Stream, Background) :-
    clear_reader,
    clear_store,
    read_outside(Stream, Mode, 1, 1),
    finish_outside(Background).

clear_reader :-
    retractall(loader(_, _, _, _, _, _, _, _)),
    retractall(fault_(_, _, _)),
    retractall(cut_short),
    retractall(outside_(_, _)),
    retractall(block_seen),
    retractall(model_name(_, _)),
    retractall(query_(_, _, _, _, _, _)),
    retractall(example_name(_, _, _, _, _, _, _)).

read_outside(Stream, Mode, Example, Next) :-
    (   Mode == fast
    ->  read_placed(Stream, Term, Place)
    ;   read_next(Mode, Stream, Term, Place)
    ),
    outside(Term, Place, Stream, Mode, Example, Next).

outside(Term, Place, Stream, _, _, _) :-
    Term == end_of_file,
    !,
    check_end(Stream, Place).
outside(Term, Place, Stream, Mode, Example, Next0) :-
    subsumes_term(begin(model(_)), Term),
    !,
    Term = begin(model(Id)),
    (   block_seen
    ->  true
    ;   assertz(block_seen)
    ),
    check_model_name(Id, Place),
    place_line(Place, Line),
    trie_new(Trie),
    read_inside(Stream, block(Example, Id, Line, Next0, Mode), Place, Trie, Next0, Next, [], [], [], 0),
    trie_destroy(Trie),
    Example1 is Example+1,
    read_outside(Stream, Mode, Example1, Next).
outside(Term, Place, Stream, Mode, Example, Next) :-
    subsumes_term(end(model(_)), Term),
    !,
    Term = end(model(Id)),
    add_fault(Place,
              'end(model(~w)) without its begin(model(~w)); delete it or add the begin',
              [Id, Id]),
    read_outside(Stream, Mode, Example, Next).
outside(Term, Place, Stream, Mode, Example, Next) :-
    assertz(outside_(Place, Term)),
    read_outside(Stream, Mode, Example, Next).

check_model_name(Id, Place) :-
    \+ ground(Id),
    !,
    add_fault(Place,
              'the name ~w of the model is not ground; quote it if it starts with a capital letter',
              [Id]).
check_model_name(Id, Place) :-
    model_name(Id, First),
    !,
    add_fault(Place,
              'model ~w was already defined in line ~w; give each model a name of its own',
              [Id, First]).
check_model_name(Id, Place) :-
    place_line(Place, Line),
    assertz(model_name(Id, Line)).

%   read_inside(+Stream, +Block, +Begin, +Trie, +Next0, -Next, +Names, +Facts, +Soft, +Fold)
%
%   Read the rest of one block that began at place Begin: names of objects,
%   facts and soft facts so far. The loader is the path of plain facts of known
%   predicates.

read_inside(Stream, Block, Begin, Trie, Next0, Next, Names0, Facts, Soft, Fold) :-
    arg(5, Block, Mode),
    read_next(Mode, Stream, Term, Place),
    arg(1, Block, Example),
    (   nonvar(Term),
        loader(Term, Example, Trie, Next0, Next1, Names0, Names1, Fact)
    ->  read_inside(Stream, Block, Begin, Trie, Next1, Next, Names1, [Fact|Facts], Soft, Fold)
    ;   inside(Term, Place, Stream, Block, Begin, Trie,
               Next0, Next, state(Names0, Facts, Soft, Fold))
    ).

inside(Term, Place, Stream, Block, Begin, _, Next, Next, _) :-
    Term == end_of_file,
    !,
    (   cut_short
    ->  true
    ;   arg(2, Block, Id),
        add_fault(Begin, 'model ~w is not closed; add end(model(~w)). after its last fact',
                  [Id, Id])
    ),
    check_end(Stream, Place).
inside(Term, Place, _, Block, _, _, Next, Next, state(Names, Facts, Soft, Fold)) :-
    subsumes_term(end(model(_)), Term),
    !,
    Term = end(model(Id)),
    Block = block(Example, Id0, Line, First, _),
    (   Id == Id0
    ->  store_example(Example, First, Next, Names, Facts, Soft),
        term_text(Id0, Text),
        length(Facts, Plain),
        length(Soft, Weighted),
        Count is Plain+Weighted,
        assertz(example_name(Example, Text, Line, Fold, First, Next, Count))
    ;   ground(Id0)
    ->  add_fault(Place,
                  'end(model(~w)) closes model ~w of line ~w; the names must be the same',
                  [Id, Id0, Line])
    ;   true
    ).
inside(Term, Place, Stream, Block, _, Trie, Next0, Next, state(Names, Facts, Soft, Fold)) :-
    subsumes_term(begin(model(_)), Term),
    !,
    Term = begin(model(Id)),
    Block = block(_, Id0, Line0, _, Mode),
    add_fault(Place,
              'model ~w begins inside model ~w of line ~w; add end(model(~w)). before it',
              [Id, Id0, Line0, Id0]),
    place_line(Place, Line),
    read_inside(Stream, block(0, Id, Line, Next0, Mode), Place, Trie, Next0, Next,
                Names, Facts, Soft, Fold).
inside(Term, Place, Stream, Block, Begin, Trie, Next0, Next, state(Names0, Facts0, Soft0, Fold0)) :-
    example_item(Term, Place, Block, Trie,
                 state(Next0, Names0, Facts0, Soft0, Fold0),
                 state(Next1, Names1, Facts1, Soft1, Fold1)),
    read_inside(Stream, Block, Begin, Trie, Next1, Next, Names1, Facts1, Soft1, Fold1).

%   example_item(+Term, +Place, +Block, +Trie, +State0, -State)
%
%   One term of an example that is not the plain path.

example_item(Term, Place, _, _, State, State) :-
    item_fault(Term, State, Format, Arguments),
    !,
    add_fault(Place, Format, Arguments).
example_item(fold(Fold), _, _, _, State0, State) :-
    !,
    State0 = state(Next, Names, Facts, Soft, _),
    State = state(Next, Names, Facts, Soft, Fold).
example_item(query(Atom, Target), Place, Block, Trie, State0, State) :-
    !,
    State0 = state(Next0, Names0, Facts, Soft, Fold),
    State = state(Next, Names, Facts, Soft, Fold),
    arg(1, Block, Example),
    atom_arguments(Atom, Name, Arguments),
    length(Arguments, Arity),
    intern_all(Arguments, Trie, Identifiers, Next0, Next, Names0, Names),
    term_text(Atom, Text),
    Value is float(Target),
    place_line(Place, Line),
    assertz(query_(Example, Name/Arity, Identifiers, Text, Value, Line)),
    store_query(Name/Arity, Example, Identifiers).
example_item(Weight::Atom, _, Block, Trie, State0, State) :-
    !,
    stored_fact(Atom, Block, Trie, Fact, State0, state(Next, Names, Facts, Soft, Fold)),
    Value is float(Weight),
    (   Value =:= 1.0
    ->  State = state(Next, Names, [Fact|Facts], Soft, Fold)
    ;   State = state(Next, Names, Facts, [soft(Fact, Value)|Soft], Fold)
    ).
example_item(Atom, _, Block, Trie, State0, State) :-
    stored_fact(Atom, Block, Trie, Fact, State0, state(Next, Names, Facts, Soft, Fold)),
    State = state(Next, Names, [Fact|Facts], Soft, Fold).

%   item_fault(+Term, +State, -Format, -Arguments) is semidet.

item_fault(Term, _, Format, Arguments) :-
    var(Term),
    !,
    fact_fault(Term, Format, Arguments).
item_fault(fold(Fold), State, Format, Arguments) :-
    !,
    (   \+ ( integer(Fold), Fold >= 1 )
    ->  Format = 'fold(~w): the fold must be a whole number from 1',
        Arguments = [Fold]
    ;   arg(5, State, Fold0),
        Fold0 \== 0,
        Fold0 \== Fold
    ->  Format = 'fold(~w) contradicts fold(~w) of the same example',
        Arguments = [Fold, Fold0]
    ).
item_fault(query(Atom), _, Format, [Atom, Atom]) :-
    !,
    Format = 'query(~w) has no target; write query(~w, 1.0) or another number'.
item_fault(query(Atom, Target), _, Format, Arguments) :-
    !,
    query_fault(Atom, Target, Format, Arguments).
item_fault((_::Head :- _), _, Format, [Head]) :-
    !,
    Format = 'the weighted rule for ~w stands inside a model; move it into the template'.
item_fault(Weight::Atom, _, Format, Arguments) :-
    !,
    (   \+ finite_number(Weight)
    ->  Format = 'the weight ~w of fact ~w is not a finite number; write one, such as 0.5',
        Arguments = [Weight, Atom]
    ;   fact_fault(Atom, Format, Arguments)
    ).
item_fault(Term, _, Format, Arguments) :-
    fact_fault(Term, Format, Arguments).

stored_fact(Atom, Block, Trie, Fact, state(Next0, Names0, Facts, Soft, Fold),
            state(Next, Names, Facts, Soft, Fold)) :-
    Block = block(Example, _, _, _, _),
    atom_arguments(Atom, Name, Arguments),
    length(Arguments, Arity),
    (   data_predicate(Name/Arity, _)
    ->  true
    ;   declare_data_predicate(Name/Arity),
        register_loader(Name, Arity)
    ),
    loader(Atom, Example, Trie, Next0, Next, Names0, Names, Fact).

%   register_loader(+Name, +Arity)
%
%   Compile a clause that turns a fact of this predicate into a stored fact.
%   One such clause for each predicate is faster than any general conversion.
%   It comes before all else, so it leaves the bounds of a model alone.

register_loader(Name, Arity) :-
    functor_of(Name, Arity, Atom, Arguments),
    fact_key(Name/Arity, Key),
    intern_goals(Arguments, Trie, Identifiers, Next0, Next, Names0, Names, Goals0),
    Fact =.. [Key, Example|Identifiers],
    (   memberchk(Name/Arity, [begin/1, end/1])
    ->  Arguments = [Argument],
        Goals = (Argument \= model(_), Goals0)
    ;   Goals = Goals0
    ),
    assertz((loader(Atom, Example, Trie, Next0, Next, Names0, Names, Fact) :- Goals)).

functor_of(Name, 0, Name, []) :-
    !.
functor_of(Name, Arity, Atom, Arguments) :-
    length(Arguments, Arity),
    Atom =.. [Name|Arguments].

intern_goals([], _, [], Next, Next, Names, Names, true).
intern_goals([Argument|Arguments], Trie, [Identifier|Identifiers],
             Next0, Next, Names0, Names,
             (intern(Trie, Argument, Identifier, Next0, Next1, Names0, Names1), Goals)) :-
    intern_goals(Arguments, Trie, Identifiers, Next1, Next, Names1, Names, Goals).

intern(Trie, Term, Identifier, Next0, Next, Names0, Names) :-
    (   trie_lookup(Trie, Term, Known)
    ->  Identifier = Known,
        Next = Next0,
        Names = Names0
    ;   ground(Term),
        trie_insert(Trie, Term, Next0),
        Identifier = Next0,
        next_identifier(Next0, Next),
        Names = [Term|Names0]
    ).

intern_all([], _, [], Next, Next, Names, Names).
intern_all([Term|Terms], Trie, [Identifier|Identifiers], Next0, Next, Names0, Names) :-
    intern(Trie, Term, Identifier, Next0, Next1, Names0, Names1),
    intern_all(Terms, Trie, Identifiers, Next1, Next, Names1, Names).

atom_arguments(Atom, Name, Arguments) :-
    (   atom(Atom)
    ->  Name = Atom,
        Arguments = []
    ;   Atom =.. [Name|Arguments]
    ).

%   fact_fault(+Term, -Format, -Arguments) is semidet.

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

%   atom_fault(+Term, -Format, -Arguments) is semidet.
%
%   Term can't be an atom of a predicate of the user's.

atom_fault(Term, Format, [Term, Name]) :-
    compound(Term),
    compound_name_arity(Term, Name, 0),
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
    (   guard_builtin(Name/Arity)
    ;   control_construct(Name/Arity)
    ;   memberchk(Name/Arity, [(:-)/1, (:-)/2, (?-)/1, (-->)/2, (::)/2])
    ),
    !,
    Format = '~w is part of the language and can\'t be defined; choose another name'.

query_fault(Atom, _, Format, []) :-
    var(Atom),
    !,
    Format = 'the query is a variable; write query(Atom, Target) with a ground atom'.
query_fault(Atom, _, Format, Arguments) :-
    atom_fault(Atom, Format, Arguments),
    !.
query_fault(Atom, _, Format, [Atom]) :-
    \+ ground(Atom),
    !,
    Format = 'the query ~w is not ground; ask one query for each object'.
query_fault(Atom, Target, Format, [Atom, Target]) :-
    \+ finite_number(Target),
    Format = 'the target of query ~w must be a finite number, not ~w'.

finite_number(Number) :-
    number(Number),
    \+ rational_not_integer(Number),
    catch(Float is float(Number), _, fail),
    Float =:= Float,
    abs(Float) =\= inf.

rational_not_integer(Number) :-
    rational(Number),
    \+ integer(Number).

%   finish_outside(-Background)
%
%   What stands outside blocks is background knowledge; in a file without
%   blocks it is the only example, and clauses are background knowledge.

finish_outside(Background) :-
    block_seen,
    !,
    findall(Clause,
            ( outside_(Place, Term),
              background_item(Term, Place, Clause)
            ),
            Background).
finish_outside([]) :-
    outside_(Place, Term),
    subsumes_term((_::_ :- _), Term),
    !,
    Term = (_::Head :- _),
    add_fault(Place,
              'the weighted rule for ~w belongs in a template; is this file one? The template comes first, then the data',
              [Head]).
finish_outside(Background) :-
    outside_(First, _),
    !,
    findall(Clause,
            ( outside_(Place, Term),
              is_clause(Term),
              background_item(Term, Place, Clause)
            ),
            Background),
    findall(item(Place, Term),
            ( outside_(Place, Term), \+ is_clause(Term) ),
            Items),
    place_line(First, Line),
    trie_new(Trie),
    single_example(Items, block(1, example, Line, 1, careful), Trie,
                   state(1, [], [], [], 0), state(Next, Names, Facts, Soft, Fold)),
    trie_destroy(Trie),
    store_example(1, 1, Next, Names, Facts, Soft),
    length(Facts, Plain),
    length(Soft, Weighted),
    Count is Plain+Weighted,
    assertz(example_name(1, "example", Line, Fold, 1, Next, Count)).
finish_outside([]).

is_clause(Term) :-
    nonvar(Term),
    Term = (_ :- _).

single_example([], _, _, State, State).
single_example([item(Place, Term)|Items], Block, Trie, State0, State) :-
    example_item(Term, Place, Block, Trie, State0, State1),
    single_example(Items, Block, Trie, State1, State).

%   background_item(+Term, +Place, -Background) is nondet.

background_item(Term, Place, _) :-
    outside_fault(Term, Format, Arguments),
    !,
    add_fault(Place, Format, Arguments),
    fail.
background_item(Term, Place, background(Line, Column, (Head :- Body))) :-
    (   Term = (Head :- Body0)
    ->  true
    ;   Head = Term,
        Body0 = true
    ),
    line_column(Place, Line, Column),
    alternative(Body0, Body).

%   alternative(+Body, -Conjunction) is nondet.
%
%   A body with disjunctions stands for several conjunctions.

alternative(Body, Body) :-
    var(Body),
    !.
alternative((A0, B0), (A, B)) :-
    !,
    alternative(A0, A),
    alternative(B0, B).
alternative((A0 ; B0), C) :-
    !,
    (   alternative(A0, C)
    ;   alternative(B0, C)
    ).
alternative(Body, Body).

outside_fault(Term, Format, Arguments) :-
    var(Term),
    !,
    fact_fault(Term, Format, Arguments).
outside_fault(fold(_), Format, []) :-
    !,
    Format = 'fold/1 outside a model; move it into the model it belongs to'.
outside_fault(query(_), Format, []) :-
    !,
    Format = 'a query outside a model; move it into the model it belongs to'.
outside_fault(query(_, _), Format, []) :-
    !,
    Format = 'a query outside a model; move it into the model it belongs to'.
outside_fault(_::Atom, Format, [Atom]) :-
    !,
    Format = 'the weighted fact ~w stands outside a model; background knowledge has no weights, move it into a model or into the template'.
outside_fault((Head :- Body), Format, Arguments) :-
    !,
    clause_fault(Head, Body, Format, Arguments).
outside_fault(Term, Format, Arguments) :-
    fact_fault(Term, Format, Arguments).

clause_fault(Head, _, Format, []) :-
    var(Head),
    !,
    Format = 'the head of the clause is a variable; write an atom'.
clause_fault(_::Atom, _, Format, [Atom]) :-
    !,
    Format = 'the weighted rule for ~w belongs in a template; background clauses have no weights'.
clause_fault(Head, _, Format, Arguments) :-
    atom_fault(Head, Format, Arguments),
    !.
clause_fault(_, Body0, Format, Arguments) :-
    alternative(Body0, Body),
    body_goals(Body, Goals),
    member(Goal, Goals),
    goal_kind(Goal, fault(Kind)),
    goal_fault(Kind, Goal, Format, Arguments),
    !.
clause_fault(Head, Body0, Format, [Guard]) :-
    term_variables(Head, HeadVariables),
    alternative(Body0, Body),
    body_goals(Body, Goals),
    ordered_goals(Goals, HeadVariables, _, [Guard|_]),
    !,
    Format = 'unsafe clause: nothing binds the variables of ~w; add an atom that does'.

%   goal_fault(+Kind, +Goal, -Format, -Arguments)

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
goal_fault(impure(Function), _, Format, [Function]) :-
    Format = 'the arithmetic function ~w changes from call to call and is not allowed'.
goal_fault(unknown_function(Name/0), _, Format, [Name]) :-
    !,
    Format = '~w is not a number; compare names with ==, \\== or @<'.
goal_fault(unknown_function(Function), _, Format, [Function]) :-
    Format = 'there is no arithmetic function ~w'.
goal_fault(negated(Goal), _, Format, [Goal]) :-
    Format = '\\+ takes one atom, not ~w; use the opposite comparison, or define a predicate for it in the data'.


		 /*******************************
		 *          TEMPLATES           *
		 *******************************/

%!  read_template(+Stream, -Template) is det.
%
%   Template is template(Rules, Settings, Faults) with
%
%     - Rules: rule(Line, Column, Weight, Fixed, Head, Body, Guards), Weight a
%       number or the text "_", Fixed true or false, Head an atom
%       atom(Name, Arguments), Body a list of atoms, Guards a list of
%       guard(Parts, Negated), Negated [Name, Arity] of a negated atom or []
%     - Settings: setting(Line, Column, Name, ValueText)
%
%   An argument is variable(Name) or constant(Text).

read_template(Stream, template(Rules, Settings, Faults)) :-
    clear_reader,
    template_terms(Stream, Items),
    findall(Rule, ( member(Rule, Items), functor(Rule, rule, _) ), Rules),
    findall(Setting, ( member(Setting, Items), functor(Setting, setting, _) ), Settings),
    collected_faults(Faults),
    clear_reader.

template_terms(Stream, Items) :-
    read_next(careful, Stream, Term, Place),
    (   Term == end_of_file
    ->  check_end(Stream, Place),
        Items = []
    ;   subsumes_term(begin(model(_)), Term)
    ->  retractall(fault_(_, _, _)),
        add_fault(Place,
                  'an example begins here, so this is a data file; the template comes first, then the data',
                  []),
        Items = []
    ;   template_item(Term, Place, Item)
    ->  Items = [Item|Items1],
        template_terms(Stream, Items1)
    ;   template_terms(Stream, Items)
    ).

%   template_item(+Term, +Place, -Item) is semidet.

template_item(Term, Place, _) :-
    template_fault(Term, Format, Arguments),
    !,
    add_fault(Place, Format, Arguments),
    fail.
template_item(setting(Name, Value), Place, setting(Line, Column, NameText, Text)) :-
    !,
    line_column(Place, Line, Column),
    canonical_text(Value, Text),
    format(string(NameText), '~w', [Name]).
template_item(Term, Place, rule(Line, Column, Weight, Fixed, HeadParts, Atoms, Guards)) :-
    line_column(Place, Line, Column),
    Place = place(_, Names0),
    split_rule(Term, Weight0, Head, Body),
    rule_weight(Weight0, Weight, Fixed),
    all_names(Names0, Head-Body, Names),
    body_goals(Body, Goals),
    atom_parts(Names, Head, HeadParts),
    findall(Parts,
            ( member(Goal, Goals), goal_kind(Goal, atom), atom_parts(Names, Goal, Parts) ),
            Atoms),
    findall(Guard,
            ( member(Goal, Goals), guard_parts(Names, Goal, Guard) ),
            Guards).

split_rule((Weight::Head :- Body), Weight, Head, Body) :-
    !.
split_rule(Weight::Head, Weight, Head, true).

rule_weight(Weight, "_", false) :-
    var(Weight),
    !.
rule_weight(fixed(Weight), Value, true) :-
    !,
    Value is float(Weight).
rule_weight(Weight, Value, false) :-
    Value is float(Weight).

template_fault(Term, Format, []) :-
    var(Term),
    !,
    Format = 'a variable is not a rule; write `_ :: head :- body.`'.
template_fault(Term, Format, Arguments) :-
    (   Term = (:- _)
    ;   Term = (?- _)
    ;   Term = (_ --> _)
    ),
    !,
    fact_fault(Term, Format, Arguments).
template_fault(end(model(_)), Format, []) :-
    !,
    Format = 'end(model(_)) in a template; examples belong in the data'.
template_fault(Term, Format, [query/Arity]) :-
    functor(Term, query, Arity),
    memberchk(Arity, [1, 2]),
    !,
    Format = '~w in a template; queries belong in the data'.
template_fault(Term, Format, []) :-
    functor(Term, setting, _),
    !,
    \+ ( Term = setting(Name, Value), atom(Name), ground(Value) ),
    Format = 'a setting is written setting(name, value).'.
template_fault(Term, Format, Arguments) :-
    split_rule(Term, Weight, Head, Body),
    !,
    rule_fault(Weight, Head, Body, Format, Arguments).
template_fault((Head :- _), Format, Arguments) :-
    nonvar(Head),
    atom_fault(Head, Format, Arguments),
    !.
template_fault((Head :- _), Format, [Head]) :-
    !,
    Format = 'the rule for ~w has no weight; write `_ ::` before it to learn one, `fixed(1.0) ::` to fix it, or move it to the data as background knowledge'.
template_fault(Term, Format, Arguments) :-
    atom_fault(Term, Format, Arguments),
    !.
template_fault(Term, Format, [Term]) :-
    Format = 'the fact ~w has no weight; write `_ ::` before it to learn one, `fixed(1.0) ::` to fix it, or move it to the data'.

rule_fault(Weight, Head, Body, Format, Arguments) :-
    (   rule_weight_fault(Weight, Format, Arguments)
    ;   var(Head)
    ->  Format = 'the head of the rule is a variable; write an atom',
        Arguments = []
    ;   atom_fault(Head, Format, Arguments)
    ;   body_goals(Body, Goals),
        body_fault(Head, Goals, Format, Arguments)
    ),
    !.

rule_weight_fault(Weight, _, _) :-
    var(Weight),
    !,
    fail.
rule_weight_fault(fixed(Weight), Format, [Weight]) :-
    !,
    \+ finite_number(Weight),
    Format = 'fixed(~w): a fixed weight must be a finite number'.
rule_weight_fault(Weight, Format, [Weight]) :-
    \+ finite_number(Weight),
    Format = 'the weight ~w is not a finite number; write a number, `_` or fixed(Number)'.

body_fault(_, Goals, Format, Arguments) :-
    member(Goal, Goals),
    goal_kind(Goal, fault(Kind)),
    goal_fault(Kind, Goal, Format, Arguments),
    !.
body_fault(Head, Goals, Format, Arguments) :-
    (   Goal = Head
    ;   member(Goal, Goals),
        goal_kind(Goal, atom)
    ),
    atom_arguments(Goal, Name, GoalArguments),
    member(Argument, GoalArguments),
    compound(Argument),
    \+ ground(Argument),
    !,
    length(GoalArguments, Arity),
    (   Goal \== Head,
        prolog_predicate(Name/Arity)
    ->  Arguments = [Name/Arity],
        Format = 'the built-in ~w is not allowed in a body; leave it out, or define such a predicate in the data'
    ;   Arguments = [Argument],
        Format = '~w: a compound term with variables; rules take variables and constants, background clauses in the data can take terms apart'
    ).
body_fault(Head, Goals, Format, [Culprit]) :-
    ordered_goals(Goals, [], Ordered, Stuck),
    (   Stuck = [Culprit|_]
    ->  Format = 'unsafe rule: nothing binds the variables of ~w; add an atom that does'
    ;   bound_variables(Ordered, Bound),
        term_variables(Head, HeadVariables),
        member(Culprit, HeadVariables),
        \+ variables_within([Culprit], Bound)
    ->  Format = 'unsafe rule: the head variable ~w does not occur in an atom of the body; add one that binds it'
    ).

bound_variables(Ordered, Bound) :-
    positive_goals(Ordered, Positive),
    term_variables(Positive, Bound).

positive_goals([], []).
positive_goals([Goal|Goals], Positive) :-
    (   goal_kind(Goal, negation)
    ->  Positive = Rest
    ;   Positive = [Goal|Rest]
    ),
    positive_goals(Goals, Rest).

%   all_names(+Names0, +Term, -Names)
%
%   Names are Names0 and new names for the other variables of Term.

all_names(Names0, Term, Names) :-
    term_variables(Term, Variables),
    exclude(has_name(Names0), Variables, Unnamed),
    findall(Name, member(Name=_, Names0), Taken),
    new_names(Unnamed, 1, Taken, New),
    append(Names0, New, Names).

new_names([], _, _, []).
new_names([Variable|Variables], Index0, Taken, [Name=Variable|New]) :-
    fresh_name(Index0, Index, Taken, Name),
    new_names(Variables, Index, Taken, New).

fresh_name(Index0, Index, Taken, Name) :-
    atom_concat('V', Index0, Name0),
    Index1 is Index0+1,
    (   memberchk(Name0, Taken)
    ->  fresh_name(Index1, Index, Taken, Name)
    ;   Name = Name0,
        Index = Index1
    ).

atom_parts(Names, Atom, atom(Name, Parts)) :-
    atom_arguments(Atom, Name, Arguments),
    argument_parts(Arguments, Names, Parts).

argument_parts([], _, []).
argument_parts([Argument|Arguments], Names, [Part|Parts]) :-
    (   var(Argument)
    ->  variable_name(Names, Argument, Name),
        Part = variable(Name)
    ;   canonical_text(Argument, Text),
        Part = constant(Text)
    ),
    argument_parts(Arguments, Names, Parts).

%   guard_parts(+Names, +Goal, -Guard)
%
%   The text of a guard in parts, so that variables can be told from all else:
%   every second part is the name of a variable.

guard_parts(Names, Goal, guard(Parts, Negated)) :-
    goal_kind(Goal, Kind),
    (   Kind == guard
    ->  Negated = []
    ;   Kind == negation,
        Goal = (\+ Atom),
        atom_arguments(Atom, Name, Arguments),
        length(Arguments, Arity),
        Negated = [Name, Arity]
    ),
    guard_text(Goal, Names, Text),
    unused_mark(Text, 0, Mark),
    maplist(marked_name(Mark), Names, Marked),
    guard_text(Goal, Marked, MarkedText),
    atomic_list_concat(Parts, Mark, MarkedText).

guard_text(Goal, Names, Text) :-
    with_output_to(string(Text),
                   write_term(Goal, [ quoted(true), variable_names(Names),
                                      module(lrnn_syntax), spacing(next_argument)
                                    ])).

%   unused_mark(+Text, +Number, -Mark)
%
%   Mark can be part of the name of a variable and does not occur in Text.

unused_mark(Text, Number, Mark) :-
    atomic_list_concat(['Mark', Number, '_'], Mark0),
    (   sub_string(Text, _, _, _, Mark0)
    ->  Next is Number+1,
        unused_mark(Text, Next, Mark)
    ;   Mark = Mark0
    ).

marked_name(Mark, Name=Variable, Marked=Variable) :-
    atomic_list_concat([Mark, Name, Mark], Marked).
