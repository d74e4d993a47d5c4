:- module(lrnn_data,
          [ read_data/3,                % +Stream, +LineOffset, -Data
            data_bias/1                 % -Declarations
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(lrnn_language).
:- use_module(lrnn_store).
:- use_module(lrnn_terms).

/** <module> Read data files

Examples go into the store while they are read; background clauses are given
back. A file is read fast first; when anything is wrong with it, it is read
again carefully, to say what and where.
*/

:- op(1150, xfx, ::).

:- dynamic
    loader/8,                           % see register_loader/2
    outside_/2,                         % Place, Term
    block_seen/0,
    bias_/4,                            % Line, Column, Name, Sorts
    model_name/2,                       % Id, Line
    query_/6,
    example_name/7.

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
%     - Queries: query(Example, Name/Arity, Identifiers, Text, Target, Line),
%       Target null for none, class(Text) for a word
%     - Background: background(Line, Column, Clause)
%     - Faults: fault(Line, Column, Message), Line 0 for quotes or a comment
%       that are never closed

read_data(Stream, LineOffset, data(Form, Examples, Queries, Background, Faults)) :-
    stream_property(Stream, position(Start)),
    (   catch(read_all(fast, Stream, Background0), error(syntax_error(_), _), fail),
        \+ faulty
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

%!  data_bias(-Declarations) is det.
%
%   What the data that were read last say about rules to be learned:
%   bias(Line, Column, Name, Sorts), one for each bias(Pattern) outside models.

data_bias(Declarations) :-
    findall(bias(Line, Column, Name, Sorts), bias_(Line, Column, Name, Sorts), Declarations).

read_all(Mode, Stream, Background) :-
    clear_reader,
    retractall(bias_(_, _, _, _)),
    clear_store,
    read_outside(Stream, Mode, 1, 1),
    finish_outside(Background).

clear_reader :-
    retractall(loader(_, _, _, _, _, _, _, _)),
    clear_faults,
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
    subsumes_term(bias(_), Term),
    arg(1, Term, Pattern),
    callable(Pattern),
    !,
    add_bias(Pattern, Place),
    read_outside(Stream, Mode, Example, Next).
outside(Term, Place, Stream, Mode, Example, Next) :-
    assertz(outside_(Place, Term)),
    read_outside(Stream, Mode, Example, Next).

%   add_bias(+Pattern, +Place)
%
%   Pattern is an atom whose arguments, if it has any, are names of sorts,
%   `constant`, `number`, or number(Name) for numbers that are compared with
%   those of the same name.

add_bias(Pattern, Place) :-
    (   compound(Pattern)
    ->  compound_name_arguments(Pattern, Name, Sorts)
    ;   Name = Pattern,
        Sorts = []
    ),
    (   Sorts == [],
        compound(Pattern)
    ->  add_fault(Place, 'bias(~w) names no sorts; write bias(p(sort, ...)), one sort an argument', [Pattern])
    ;   atom_fault(Pattern, Format, Arguments)
    ->  add_fault(Place, Format, Arguments)
    ;   member(Sort, Sorts),
        \+ atom(Sort),
        \+ ( compound(Sort), Sort = number(Measured), atom(Measured) )
    ->  add_fault(Place,
                  'bias(~w): a sort is a name that starts with a small letter, not ~w; write one for each argument, constant for arguments that take constants',
                  [Pattern, Sort])
    ;   bias_(First, _, Name, Sorts0),
        length(Sorts0, Arity),
        length(Sorts, Arity)
    ->  add_fault(Place, 'bias(~w): the sorts of ~w/~w were already given in line ~w; delete one of them',
                  [Pattern, Name, Arity, First])
    ;   line_column(Place, Line, Column),
        assertz(bias_(Line, Column, Name, Sorts))
    ).

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
example_item(query(Atom), Place, Block, Trie, State0, State) :-
    !,
    add_query(Atom, null, Place, Block, Trie, State0, State).
example_item(query(Atom, Target), Place, Block, Trie, State0, State) :-
    !,
    (   number(Target)
    ->  Value is float(Target)
    ;   term_text(Target, Text),
        Value = class(Text)
    ),
    add_query(Atom, Value, Place, Block, Trie, State0, State).
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

%   add_query(+Atom, +Target, +Place, +Block, +Trie, +State0, -State)
%
%   Target is a float, class(Text) of a word, or null for none.

add_query(Atom, Target, Place, Block, Trie, State0, State) :-
    State0 = state(Next0, Names0, Facts, Soft, Fold),
    State = state(Next, Names, Facts, Soft, Fold),
    arg(1, Block, Example),
    atom_arguments(Atom, Name, Arguments),
    length(Arguments, Arity),
    intern_all(Arguments, Trie, Identifiers, Next0, Next, Names0, Names),
    term_text(Atom, Text),
    place_line(Place, Line),
    assertz(query_(Example, Name/Arity, Identifiers, Text, Target, Line)),
    store_query(Name/Arity, Example, Identifiers).

%   item_fault(+Term, +State, -Format, -Arguments) is semidet.

item_fault(Term, _, Format, Arguments) :-
    var(Term),
    !,
    fact_fault(Term, Format, Arguments).
item_fault(fold(Fold), State, Format, Arguments) :-
    !,
    (   \+ ( integer(Fold), Fold >= 1, Fold < 2**31 )
    ->  Format = 'fold(~w): the fold must be a whole number from 1 to 2147483647',
        Arguments = [Fold]
    ;   arg(5, State, Fold0),
        Fold0 \== 0,
        Fold0 \== Fold
    ->  Format = 'fold(~w) contradicts fold(~w) of the same example',
        Arguments = [Fold, Fold0]
    ).
item_fault(query(Atom), _, Format, Arguments) :-
    !,
    query_fault(Atom, 0.0, Format, Arguments).
item_fault(query(Atom, Target), _, Format, Arguments) :-
    !,
    query_fault(Atom, Target, Format, Arguments).
item_fault((_::Head :- _), _, Format, [Head]) :-
    !,
    Format = 'the weighted rule for ~w stands inside a model; move it into the template'.
item_fault(Weight::Atom, _, Format, Arguments) :-
    !,
    (   nonvar(Atom),
        ( Atom = begin(model(_)) ; Atom = end(model(_)) )
    ->  Format = '~w has no weight; write it without',
        Arguments = [Atom]
    ;   \+ finite_number(Weight)
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
    \+ class_word(Target),
    Format = 'the target of query ~w must be a finite number or a word, not ~w'.

%   class_word(+Target) is semidet.
%
%   Words name classes, but for those that look like a number that there is none of.

class_word(Target) :-
    atom(Target),
    Target \== [],
    \+ memberchk(Target, [inf, infinite, nan]).

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

%   count_alternatives(+Body, -Count)
%
%   How many conjunctions alternative/2 would give.

count_alternatives(Body, Count) :-
    (   nonvar(Body),
        Body = (A, B)
    ->  count_alternatives(A, CountA),
        count_alternatives(B, CountB),
        Count is CountA*CountB
    ;   nonvar(Body),
        Body = (A ; B)
    ->  count_alternatives(A, CountA),
        count_alternatives(B, CountB),
        Count is CountA+CountB
    ;   Count = 1
    ).

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
clause_fault(_, Body, Format, [Count]) :-
    count_alternatives(Body, Count),
    Count > 1000,
    !,
    Format = 'the disjunctions of this body stand for ~w clauses, and 1000 is the limit; define predicates for some of them'.
clause_fault(_, Body0, Format, Arguments) :-
    alternative(Body0, Body),
    body_goals(Body, Goals),
    long_body_fault(Goals, Format, Arguments),
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
