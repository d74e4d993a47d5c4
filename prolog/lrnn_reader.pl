:- module(lrnn_reader,
          [ read_data/3,                % +Stream, +LineOffset, -Data
            read_template/2             % +Stream, -Template
          ]).
:- use_module(library(lists), [append/3, member/2, memberchk/2, reverse/2]).
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
    outside_/3,                         % Line, Column, Term
    block_seen/0,
    model_name/2,                       % Id, Line
    query_/7,
    example_name/7.

%   read_next(+Mode, +Stream, -Term, -Position)
%
%   Read one term. In mode `careful` Position is where it starts, and a syntax
%   error is recorded as a fault and the next term is read instead. In mode
%   `fast`, for files that are expected to be free of faults, a syntax error is
%   an exception and Position is where the term ends.

read_next(fast, Stream, Term, Stream) :-
    read_term(Stream, Term, [module(lrnn_syntax)]).
read_next(careful, Stream, Term, Position) :-
    catch(read_term(Stream, Term0,
                    [ module(lrnn_syntax),
                      term_position(Position0),
                      syntax_errors(error)
                    ]),
          Error, true),
    (   var(Error)
    ->  Term = Term0,
        Position = Position0
    ;   syntax_fault(Error),
        read_next(careful, Stream, Term, Position)
    ).

line_column(Position, Line, Column) :-
    (   is_stream(Position)
    ->  line_count(Position, Line),
        Column = 1
    ;   stream_position_data(line_count, Position, Line),
        stream_position_data(line_position, Position, Column0),
        Column is Column0+1
    ).

syntax_fault(error(syntax_error(What), Context)) :-
    !,
    (   Context = stream(_, Line, LinePosition, _)
    ->  true
    ;   Context = file(_, Line, LinePosition, _)
    ->  true
    ;   Context = string(_, _)
    ->  Line = 1, LinePosition = 0
    ),
    Column is LinePosition+1,
    syntax_message(What, Message),
    add_fault(Line, Column, 'syntax error: ~w', [Message]).
syntax_fault(Error) :-
    throw(Error).

syntax_message(operator_expected,
               'an operator is expected here; is a comma or a full stop missing?') :-
    !.
syntax_message(end_of_clause_expected,
               'the end of the clause is expected here; is a full stop missing?') :-
    !.
syntax_message(end_of_file,
               'the file ends inside a clause; is a full stop missing?') :-
    !.
syntax_message(end_of_file_in_quoted(_),
               'the file ends inside quotes; is a closing quote missing?') :-
    !.
syntax_message(end_of_file_in_block_comment,
               'the file ends inside a comment; is the closing */ missing?') :-
    !.
syntax_message(cannot_start_term,
               'a term can\'t start here; is there a comma or a bracket too many?') :-
    !.
syntax_message(illegal_number, 'not a valid number') :-
    !.
syntax_message(undefined_char_escape(Char), Message) :-
    !,
    format(string(Message), 'unknown escape sequence \\~w', [Char]).
syntax_message(operator_clash,
               'operators clash here; add brackets') :-
    !.
syntax_message(operator_balance,
               'operators are not balanced here; add brackets') :-
    !.
syntax_message(What, Message) :-
    format(string(Text), '~w', [What]),
    split_string(Text, "_", "", Words),
    atomic_list_concat(Words, ' ', Message).

add_fault(Line, Column, Format, Arguments) :-
    format(string(Message), Format, Arguments),
    assertz(fault_(Line, Column, Message)).

collected_faults(Faults) :-
    findall(fault(Line, Column, Message), fault_(Line, Column, Message), Faults0),
    sort(0, @=<, Faults0, Faults).

%!  term_text(+Term, -Text) is det.
%
%   Text is Term as a user would write it.

term_text(Term, Text) :-
    \+ \+ ( numbervars(Term, 0, _, [singletons(true)]),
            with_output_to(string(Text0),
                           write_term(Term, [ quoted(true), numbervars(true),
                                              module(lrnn_syntax),
                                              spacing(next_argument),
                                              max_depth(12)
                                            ])),
            nb_setval(lrnn_text, Text0)
          ),
    nb_getval(lrnn_text, Text).

%!  canonical_text(+Term, -Text) is det.
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
%   data(Examples, Queries, Background, Faults) with
%
%     - Examples: example(Index, IdText, Line, Fold, First, Next, Facts), Fold 0
%       for none, First up to but not including Next its objects
%     - Queries: query(Example, Name/Arity, Identifiers, Text, Target, Line)
%     - Background: background(Line, Column, Clause)
%     - Faults: fault(Line, Column, Message)

read_data(Stream, LineOffset, data(Examples, Queries, Background, Faults)) :-
    stream_property(Stream, position(Start)),
    (   catch(read_all(fast, Stream, Background0), error(syntax_error(_), _), fail),
        \+ fault_(_, _, _)
    ->  true
    ;   set_stream_position(Stream, Start),
        read_all(careful, Stream, Background0)
    ),
    findall(example(Index, Text, Line, Fold, First, Next, Count),
            ( example_name(Index, Text, Line0, Fold, First, Next, Count),
              Line is Line0+LineOffset
            ),
            Examples),
    findall(query(Example, Predicate, Identifiers, Text, Target, Line),
            ( query_(Example, Predicate, Identifiers, Text, Target, Line0, _),
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
              Line is Line0+LineOffset
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
    retractall(outside_(_, _, _)),
    retractall(block_seen),
    retractall(model_name(_, _)),
    retractall(query_(_, _, _, _, _, _, _)),
    retractall(example_name(_, _, _, _, _, _, _)).

read_outside(Stream, Mode, Example, Next) :-
    read_next(Mode, Stream, Term, Position),
    line_column(Position, Line, Column),
    outside(Term, Line, Column, Stream, Mode, Example, Next).

outside(Term, _, _, _, _, _, _) :-
    Term == end_of_file,
    !.
outside(Term, Line, Column, Stream, Mode, Example, Next0) :-
    nonvar(Term),
    Term = begin(model(Id)),
    !,
    (   block_seen
    ->  true
    ;   assertz(block_seen)
    ),
    check_model_name(Id, Line, Column),
    trie_new(Trie),
    read_inside(Stream, block(Example, Id, Line, Next0, Mode), Trie, Next0, Next, [], [], [], 0),
    trie_destroy(Trie),
    Example1 is Example+1,
    read_outside(Stream, Mode, Example1, Next).
outside(Term, Line, Column, Stream, Mode, Example, Next) :-
    nonvar(Term),
    Term = end(model(Id)),
    !,
    term_text(Id, Text),
    add_fault(Line, Column,
              'end(model(~w)) without its begin(model(~w)); delete it or add the begin',
              [Text, Text]),
    read_outside(Stream, Mode, Example, Next).
outside(Term, Line, Column, Stream, Mode, Example, Next) :-
    assertz(outside_(Line, Column, Term)),
    read_outside(Stream, Mode, Example, Next).

check_model_name(Id, Line, Column) :-
    \+ ground(Id),
    !,
    add_fault(Line, Column,
              'the name of a model must be ground; quote it if it starts with a capital letter',
              []).
check_model_name(Id, Line, Column) :-
    model_name(Id, First),
    !,
    term_text(Id, Text),
    add_fault(Line, Column,
              'model ~w was already defined in line ~d; give each model a name of its own',
              [Text, First]).
check_model_name(Id, Line, _) :-
    assertz(model_name(Id, Line)).

%   read_inside(+Stream, +Block, +Trie, +Next0, -Next, +Names, +Facts, +Soft, +Fold)
%
%   Read the rest of one block: names of objects, facts and soft facts so far.
%   The first clause is the path of plain facts of known predicates.

read_inside(Stream, Block, Trie, Next0, Next, Names0, Facts, Soft, Fold) :-
    arg(5, Block, Mode),
    read_next(Mode, Stream, Term, Position),
    arg(1, Block, Example),
    (   nonvar(Term),
        loader(Term, Example, Trie, Next0, Next1, Names0, Names1, Fact)
    ->  read_inside(Stream, Block, Trie, Next1, Next, Names1, [Fact|Facts], Soft, Fold)
    ;   line_column(Position, Line, Column),
        inside(Term, Line, Column, Stream, Block, Trie,
               Next0, Next, Names0, Facts, Soft, Fold)
    ).

inside(Term, Line, Column, Stream, Block, Trie, Next0, Next, Names0, Facts, Soft, Fold) :-
    var(Term),
    !,
    add_fault(Line, Column, 'a variable is not a fact', []),
    read_inside(Stream, Block, Trie, Next0, Next, Names0, Facts, Soft, Fold).
inside(end_of_file, _, _, _, Block, _, Next, Next, _, _, _, _) :-
    !,
    Block = block(_, Id, Line, _, _),
    term_text(Id, Text),
    add_fault(Line, 1, 'model ~w is not closed; add end(model(~w)). after its last fact',
              [Text, Text]).
inside(end(model(Id)), Line, Column, _, Block, _, Next, Next, Names, Facts, Soft, Fold) :-
    !,
    Block = block(Example, Id0, Line0, First, _),
    (   Id == Id0
    ->  store_example(Example, First, Next, Names, Facts, Soft),
        term_text(Id0, Text),
        length(Facts, Plain),
        length(Soft, Weighted),
        Count is Plain+Weighted,
        assertz(example_name(Example, Text, Line0, Fold, First, Next, Count))
    ;   term_text(Id0, Text0),
        term_text(Id, Text),
        add_fault(Line, Column,
                  'end(model(~w)) closes model ~w of line ~d; the names must be the same',
                  [Text, Text0, Line0])
    ).
inside(begin(model(Id)), Line, Column, Stream, Block, Trie, Next0, Next, Names, Facts, Soft, Fold) :-
    !,
    Block = block(_, Id0, Line0, _, Mode),
    term_text(Id0, Text0),
    term_text(Id, Text),
    add_fault(Line, Column,
              'model ~w begins inside model ~w of line ~d; add end(model(~w)). before it',
              [Text, Text0, Line0, Text0]),
    read_inside(Stream, block(0, Id, Line, Next0, Mode), Trie, Next0, Next, Names, Facts, Soft, Fold).
inside(Term, Line, Column, Stream, Block, Trie, Next0, Next, Names0, Facts0, Soft0, Fold0) :-
    example_item(Term, Line, Column, Block, Trie,
                 state(Next0, Names0, Facts0, Soft0, Fold0),
                 state(Next1, Names1, Facts1, Soft1, Fold1)),
    read_inside(Stream, Block, Trie, Next1, Next, Names1, Facts1, Soft1, Fold1).

%   example_item(+Term, +Line, +Column, +Block, +Trie, +State0, -State)
%
%   One term of an example that is not the plain path.

example_item(Term, Line, Column, _, _, State, State) :-
    var(Term),
    !,
    add_fault(Line, Column, 'a variable is not a fact', []).
example_item(fold(Fold), Line, Column, _, _, State0, State) :-
    !,
    State0 = state(Next, Names, Facts, Soft, Fold0),
    (   \+ ( integer(Fold), Fold >= 1 )
    ->  term_text(Fold, Text),
        add_fault(Line, Column, 'fold(~w): the fold must be a whole number from 1', [Text]),
        State = State0
    ;   Fold0 \== 0,
        Fold0 \== Fold
    ->  add_fault(Line, Column, 'fold(~w) contradicts fold(~w) of the same example',
                  [Fold, Fold0]),
        State = State0
    ;   State = state(Next, Names, Facts, Soft, Fold)
    ).
example_item(query(Atom, Target), Line, Column, Block, Trie, State0, State) :-
    !,
    (   query_fault(Atom, Target, Format, Arguments)
    ->  add_fault(Line, Column, Format, Arguments),
        State = State0
    ;   State0 = state(Next0, Names0, Facts, Soft, Fold),
        Block = block(Example, _, _, _, _),
        atom_arguments(Atom, Name, Arguments),
        length(Arguments, Arity),
        intern_all(Arguments, Trie, Identifiers, Next0, Next, Names0, Names),
        term_text(Atom, Text),
        Value is float(Target),
        assertz(query_(Example, Name/Arity, Identifiers, Text, Value, Line, Column)),
        store_query(Name/Arity, Example, Identifiers),
        State = state(Next, Names, Facts, Soft, Fold)
    ).
example_item(Weight::Atom, Line, Column, Block, Trie, State0, State) :-
    !,
    (   weight_fault(Weight, Atom, Format, Arguments)
    ->  add_fault(Line, Column, Format, Arguments),
        State = State0
    ;   fact_fault(Atom, Format, Arguments)
    ->  add_fault(Line, Column, Format, Arguments),
        State = State0
    ;   stored_fact(Atom, Block, Trie, Fact, State0, state(Next, Names, Facts, Soft, Fold)),
        Value is float(Weight),
        (   Value =:= 1.0
        ->  State = state(Next, Names, [Fact|Facts], Soft, Fold)
        ;   State = state(Next, Names, Facts, [soft(Fact, Value)|Soft], Fold)
        )
    ).
example_item(Term, Line, Column, _, _, State, State) :-
    fact_fault(Term, Format, Arguments),
    !,
    add_fault(Line, Column, Format, Arguments).
example_item(Atom, _, _, Block, Trie, State0, State) :-
    stored_fact(Atom, Block, Trie, Fact, State0, state(Next, Names, Facts, Soft, Fold)),
    State = state(Next, Names, [Fact|Facts], Soft, Fold).

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

register_loader(Name, Arity) :-
    functor_of(Name, Arity, Atom, Arguments),
    fact_key(Name/Arity, Key),
    intern_goals(Arguments, Trie, Identifiers, Next0, Next, Names0, Names, Goals),
    Fact =.. [Key, Example|Identifiers],
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

fact_fault((:- Directive), Format, [Text]) :-
    !,
    term_text(Directive, Text),
    Format = 'the directive `:- ~w` is not run; files hold facts and clauses only'.
fact_fault((?- Goal), Format, [Text]) :-
    !,
    term_text(Goal, Text),
    Format = 'the query `?- ~w` is not run; write query(Atom, Target)'.
fact_fault((Head :- _), Format, [Text]) :-
    !,
    term_text(Head, Text),
    Format = 'a clause for ~w inside a model; move it outside all models to make it background knowledge'.
fact_fault((_ --> _), Format, []) :-
    !,
    Format = 'grammar rules are not supported; write facts and clauses'.
fact_fault(Atom, Format, Arguments) :-
    atom_fault(Atom, Format, Arguments),
    !.
fact_fault(Atom, Format, [Text]) :-
    \+ ground(Atom),
    term_text(Atom, Text),
    Format = 'the fact ~w is not ground; names that start with a capital letter or _ are variables, quote them'.

%   atom_fault(+Term, -Format, -Arguments) is semidet.
%
%   Term can't be an atom of a predicate of the user's.

atom_fault(Term, Format, [Text]) :-
    \+ callable(Term),
    !,
    term_text(Term, Text),
    Format = '~w is not an atom; write a predicate with its arguments'.
atom_fault(Term, Format, [Text]) :-
    is_dict(Term),
    !,
    term_text(Term, Text),
    Format = '~w is a dict, not an atom; write a predicate with its arguments'.
atom_fault(Term, Format, [Name, Arity]) :-
    functor(Term, Name, Arity),
    (   guard_builtin(Name/Arity)
    ;   control_construct(Name/Arity)
    ;   memberchk(Name/Arity, [(:-)/1, (:-)/2, (?-)/1, (-->)/2, (::)/2, '[|]'/2, {}/1])
    ),
    !,
    Format = '~w/~w is part of the language and can\'t be defined; choose another name'.
atom_fault([], Format, []) :-
    Format = '[] is not an atom; write a predicate with its arguments'.

query_fault(Atom, _, Format, []) :-
    var(Atom),
    !,
    Format = 'the query is a variable; write query(Atom, Target) with a ground atom'.
query_fault(Atom, _, Format, Arguments) :-
    atom_fault(Atom, Format, Arguments),
    !.
query_fault(Atom, _, Format, [Text]) :-
    \+ ground(Atom),
    !,
    term_text(Atom, Text),
    Format = 'the query ~w is not ground; ask one query for each object'.
query_fault(Atom, Target, Format, [Text, TargetText]) :-
    \+ finite_number(Target),
    !,
    term_text(Atom, Text),
    term_text(Target, TargetText),
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

weight_fault(Weight, Atom, Format, [WeightText, Text]) :-
    \+ finite_number(Weight),
    term_text(Weight, WeightText),
    term_text(Atom, Text),
    Format = 'the weight ~w of fact ~w is not a finite number'.

%   finish_outside(-Background)
%
%   What stands outside blocks is background knowledge; in a file without
%   blocks it is the only example, and clauses are background knowledge.

finish_outside(Background) :-
    block_seen,
    !,
    findall(Clause,
            ( outside_(Line, Column, Term),
              background_item(Term, Line, Column, Clause)
            ),
            Background).
finish_outside(Background) :-
    outside_(_, _, _),
    !,
    findall(Clause,
            ( outside_(Line, Column, Term),
              is_clause(Term),
              background_item(Term, Line, Column, Clause)
            ),
            Background),
    outside_(First, _, _),
    !,
    trie_new(Trie),
    findall(item(Line, Column, Term),
            ( outside_(Line, Column, Term), \+ is_clause(Term) ),
            Items),
    Block = block(1, example, First, 1, careful),
    single_example(Items, Block, Trie, state(1, [], [], [], 0),
                   state(Next, Names, Facts, Soft, Fold)),
    trie_destroy(Trie),
    store_example(1, 1, Next, Names, Facts, Soft),
    length(Facts, Plain),
    length(Soft, Weighted),
    Count is Plain+Weighted,
    assertz(example_name(1, "example", First, Fold, 1, Next, Count)).
finish_outside([]).

is_clause(Term) :-
    nonvar(Term),
    Term = (_ :- _).

single_example([], _, _, State, State).
single_example([item(Line, Column, Term)|Items], Block, Trie, State0, State) :-
    example_item(Term, Line, Column, Block, Trie, State0, State1),
    single_example(Items, Block, Trie, State1, State).

%   background_item(+Term, +Line, +Column, -Background) is nondet.

background_item(Term, Line, Column, _) :-
    outside_fault(Term, Format, Arguments),
    !,
    add_fault(Line, Column, Format, Arguments),
    fail.
background_item(Term, Line, Column, background(Line, Column, (Head :- Body))) :-
    (   Term = (Head :- Body0)
    ->  true
    ;   Head = Term,
        Body0 = true
    ),
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

outside_fault(Term, Format, []) :-
    var(Term),
    !,
    Format = 'a variable is not a fact'.
outside_fault(fold(_), Format, []) :-
    !,
    Format = 'fold/1 outside a model; move it into the model it belongs to'.
outside_fault(query(_, _), Format, []) :-
    !,
    Format = 'a query outside a model; move it into the model it belongs to'.
outside_fault(_::Atom, Format, [Text]) :-
    !,
    term_text(Atom, Text),
    Format = 'the weighted fact ~w stands outside a model; background knowledge has no weights, move it into a model or into the template'.
outside_fault((Head :- Body), Format, Arguments) :-
    !,
    clause_fault(Head, Body, Format, Arguments).
outside_fault(Term, Format, Arguments) :-
    fact_fault(Term, Format, Arguments).

clause_fault(Head, _, Format, []) :-
    var(Head),
    !,
    Format = 'the head of the clause is a variable'.
clause_fault(_::Atom, _, Format, [Text]) :-
    !,
    term_text(Atom, Text),
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

%   goal_fault(+Kind, +Goal, -Format, -Arguments)

goal_fault(variable, _, Format, []) :-
    Format = 'a goal of the body is a variable; write an atom'.
goal_fault(not_callable, Goal, Format, [Text]) :-
    term_text(Goal, Text),
    Format = '~w is not an atom; write a predicate with its arguments'.
goal_fault(construct(!/0), _, Format, []) :-
    !,
    Format = 'the cut has no meaning here: all solutions count; remove it'.
goal_fault(construct((;)/2), _, Format, []) :-
    !,
    Format = 'a disjunction in a rule; write one rule for each alternative'.
goal_fault(construct(Name/Arity), _, Format, [Name, Arity]) :-
    Format = '~w/~w is not allowed in a body: only atoms, comparison, arithmetic and \\+ are'.
goal_fault(impure(Name/Arity), _, Format, [Name, Arity]) :-
    Format = 'the arithmetic function ~w/~w changes from call to call and is not allowed'.
goal_fault(negated(Goal), _, Format, [Text]) :-
    term_text(Goal, Text),
    Format = '\\+ takes an atom, not ~w; use the opposite comparison'.


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
    read_named(Stream, Term, Names, Line, Column),
    (   Term == end_of_file
    ->  Items = []
    ;   template_item(Term, Names, Line, Column, Item)
    ->  Items = [Item|Items1],
        template_terms(Stream, Items1)
    ;   template_terms(Stream, Items)
    ).

read_named(Stream, Term, Names, Line, Column) :-
    catch(read_term(Stream, Term0,
                    [ module(lrnn_syntax),
                      term_position(Position),
                      variable_names(Names0),
                      syntax_errors(error)
                    ]),
          Error, true),
    (   var(Error)
    ->  Term = Term0,
        Names = Names0,
        line_column(Position, Line, Column)
    ;   syntax_fault(Error),
        read_named(Stream, Term, Names, Line, Column)
    ).

%   template_item(+Term, +Names, +Line, +Column, -Item) is semidet.

template_item(Term, _, Line, Column, Item) :-
    nonvar(Term),
    Term = setting(Name, Value),
    !,
    (   atom(Name),
        ground(Value)
    ->  canonical_text(Value, Text),
        format(string(NameText), '~w', [Name]),
        Item = setting(Line, Column, NameText, Text)
    ;   add_fault(Line, Column, 'a setting is written setting(name, value).', []),
        fail
    ).
template_item(Term, Names, Line, Column, Item) :-
    (   template_fault(Term, Names, Format, Arguments)
    ->  add_fault(Line, Column, Format, Arguments),
        fail
    ;   split_rule(Term, Weight0, Head, Body),
        rule_weight(Weight0, Weight, Fixed),
        name_variables(Names, Head-Body),
        body_goals(Body, Goals),
        atom_parts(Head, HeadParts),
        findall(Parts,
                ( member(Goal, Goals), goal_kind(Goal, atom), atom_parts(Goal, Parts) ),
                Atoms),
        findall(Guard,
                ( member(Goal, Goals), guard_parts(Goal, Guard) ),
                Guards),
        Item = rule(Line, Column, Weight, Fixed, HeadParts, Atoms, Guards)
    ).

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

template_fault(Term, _, Format, []) :-
    var(Term),
    !,
    Format = 'a variable is not a rule'.
template_fault((:- Directive), _, Format, Arguments) :-
    !,
    fact_fault((:- Directive), Format, Arguments).
template_fault((?- Goal), _, Format, Arguments) :-
    !,
    fact_fault((?- Goal), Format, Arguments).
template_fault((_ --> _), _, Format, Arguments) :-
    !,
    fact_fault((_ --> _), Format, Arguments).
template_fault(begin(model(_)), _, Format, []) :-
    !,
    Format = 'begin(model(_)) in a template; is this a data file? The template comes first, then the data'.
template_fault(end(model(_)), _, Format, []) :-
    !,
    Format = 'end(model(_)) in a template; is this a data file? The template comes first, then the data'.
template_fault(query(_, _), _, Format, []) :-
    !,
    Format = 'query/2 in a template; queries belong in the data'.
template_fault(Term, Names, Format, Arguments) :-
    (   split_rule(Term, Weight, Head, Body)
    ->  rule_fault(Weight, Head, Body, Names, Format, Arguments)
    ;   (   Term = (Head :- _)
        ->  true
        ;   Head = Term
        ),
        term_text(Head, Text),
        Arguments = [Text],
        Format = 'the rule for ~w has no weight; write `_ ::` before it to learn one, `fixed(1.0) ::` to fix it, or move it to the data as background knowledge'
    ).

rule_fault(Weight, Head, Body, Names, Format, Arguments) :-
    (   rule_weight_fault(Weight, Format, Arguments)
    ;   var(Head)
    ->  Format = 'the head of the rule is a variable',
        Arguments = []
    ;   atom_fault(Head, Format, Arguments)
    ;   body_goals(Body, Goals),
        body_fault(Head, Goals, Names, Format, Arguments)
    ),
    !.

rule_weight_fault(Weight, _, _) :-
    var(Weight),
    !,
    fail.
rule_weight_fault(fixed(Weight), Format, [Text]) :-
    !,
    \+ finite_number(Weight),
    term_text(Weight, Text),
    Format = 'fixed(~w): a fixed weight must be a finite number'.
rule_weight_fault(Weight, Format, [Text]) :-
    \+ finite_number(Weight),
    term_text(Weight, Text),
    Format = 'the weight ~w is not a finite number; write a number, `_` or fixed(Number)'.

body_fault(_, Goals, _, Format, Arguments) :-
    member(Goal, Goals),
    goal_kind(Goal, fault(Kind)),
    goal_fault(Kind, Goal, Format, Arguments),
    !.
body_fault(Head, Goals, Names, Format, Arguments) :-
    member(Goal, [Head|Goals]),
    callable(Goal),
    (   Goal == Head
    ->  true
    ;   goal_kind(Goal, atom)
    ),
    atom_arguments(Goal, _, GoalArguments),
    member(Argument, GoalArguments),
    compound(Argument),
    \+ ground(Argument),
    !,
    name_text(Names, Argument, Text),
    Arguments = [Text],
    Format = '~w: a compound argument with variables; rules take variables and constants'.
body_fault(Head, Goals, Names, Format, Arguments) :-
    ordered_goals(Goals, [], Ordered, Stuck),
    (   Stuck = [Goal|_]
    ->  name_text(Names, Goal, Text),
        Arguments = [Text],
        Format = 'unsafe rule: nothing in the body binds the variables of ~w'
    ;   bound_variables(Ordered, Bound),
        term_variables(Head, HeadVariables),
        member(Variable, HeadVariables),
        \+ variables_within([Variable], Bound),
        !,
        name_text(Names, Variable, Text),
        Arguments = [Text],
        Format = 'unsafe rule: the head variable ~w does not occur in an atom of the body'
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

name_text(Names, Term, Text) :-
    copy_term(Names-Term, Names1-Term1),
    bind_names(Names1),
    term_text(Term1, Text).

bind_names([]).
bind_names([Name='$VAR'(Name)|Names]) :-
    bind_names(Names).

%   name_variables(+Names, +Term)
%
%   Bind each variable of Term to '$VAR'(Name): its own name, or a new one for
%   anonymous variables.

name_variables(Names, Term) :-
    bind_names(Names),
    term_variables(Term, Anonymous),
    findall(Name, member(Name=_, Names), Taken),
    name_anonymous(Anonymous, 1, Taken).

name_anonymous([], _, _).
name_anonymous(['$VAR'(Name)|Variables], Index0, Taken) :-
    fresh_name(Index0, Index, Taken, Name),
    name_anonymous(Variables, Index, Taken).

fresh_name(Index0, Index, Taken, Name) :-
    atom_concat('V', Index0, Name0),
    Index1 is Index0+1,
    (   memberchk(Name0, Taken)
    ->  fresh_name(Index1, Index, Taken, Name)
    ;   Name = Name0,
        Index = Index1
    ).

atom_parts(Atom, atom(Name, Parts)) :-
    atom_arguments(Atom, Name, Arguments),
    argument_parts(Arguments, Parts).

argument_parts([], []).
argument_parts([Argument|Arguments], [Part|Parts]) :-
    (   Argument = '$VAR'(Name)
    ->  Part = variable(Name)
    ;   canonical_text(Argument, Text),
        Part = constant(Text)
    ),
    argument_parts(Arguments, Parts).

%   guard_parts(+Goal, -Guard)
%
%   The text of a guard in parts, so that variables can be told from all else:
%   every second part is the name of a variable.

guard_parts(Goal, guard(Parts, Negated)) :-
    goal_kind(Goal, Kind),
    (   Kind == guard
    ->  Negated = []
    ;   Kind == negation,
        Goal = (\+ Atom),
        atom_arguments(Atom, Name, Arguments),
        length(Arguments, Arity),
        Negated = [Name, Arity]
    ),
    guard_text(Goal, Text),
    unused_mark(Text, 0, Mark),
    mark_variables(Goal, Mark, Marked),
    guard_text(Marked, MarkedText),
    atomic_list_concat(Parts, Mark, MarkedText).

guard_text(Goal, Text) :-
    with_output_to(string(Text),
                   write_term(Goal, [ quoted(true), numbervars(true),
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

mark_variables('$VAR'(Name), Mark, '$VAR'(Marked)) :-
    !,
    atomic_list_concat([Mark, Name, Mark], Marked).
mark_variables(Term, Mark, Marked) :-
    compound(Term),
    !,
    compound_name_arguments(Term, Name, Arguments0),
    mark_arguments(Arguments0, Mark, Arguments),
    compound_name_arguments(Marked, Name, Arguments).
mark_variables(Term, _, Term).

mark_arguments([], _, []).
mark_arguments([Term|Terms], Mark, [Marked|MarkedTerms]) :-
    mark_variables(Term, Mark, Marked),
    mark_arguments(Terms, Mark, MarkedTerms).
