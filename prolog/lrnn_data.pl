:- module(lrnn_data,
          [ read_data/3,                % +Stream, +LineOffset, -Data
            data_bias/1                 % -Declarations
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(lrnn_language).
:- use_module(lrnn_store).
:- use_module(lrnn_terms).

/** <module> Read data files

Examples go into the store while they are read, as rows of numbers; background
clauses are given back. A file is read fast first; when anything is wrong with it, it is read
again carefully, to say what and where.
*/

:- op(1150, xfx, ::).

% In this file arithmetic is compiled; it counts objects.
:- set_prolog_flag(optimise, true).

:- dynamic
    loader/9,                           % see register_loader/3
    outside_/2,                         % Place, Term
    block_seen/0,
    bias_/4,                            % Line, Column, Name, Sorts
    model_names/1,                      % Trie from names to lines
    query_/6,
    example_name/6.

%!  read_data(+Stream, +LineOffset, -Data) is det.
%
%   Read examples and background knowledge into the store. LineOffset is added
%   to all line numbers: the text may be the tail of a longer one. Data is
%   data(Form, Examples, Queries, Background, Faults) with
%
%     - Form: `blocks`, or `single` where there is no block and the whole text
%       is one example
%     - Examples: example(Index, IdText, Line, Fold, Objects, Facts), Fold 0
%       for none, then how many objects and facts there are
%     - Queries: query(Example, Name/Arity, Places, Text, Target, Line), Places
%       those of its objects, Target null for none, class(Text) for a word
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
    findall(example(Index, Text, Line, Fold, Objects, Count),
            ( example_name(Index, Text, Line0, Fold, Objects, Count),
              Line is Line0+LineOffset
            ),
            Examples),
    findall(query(Example, Predicate, Places, Text, Target, Line),
            ( query_(Example, Predicate, Places, Text, Target, Line0),
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
    trie_new(Names),
    assertz(model_names(Names)),
    read_outside(Stream, Mode, 1),
    finish_outside(Background).

clear_reader :-
    retractall(loader(_, _, _, _, _, _, _, _, _)),
    clear_faults,
    retractall(outside_(_, _)),
    retractall(block_seen),
    forall(retract(model_names(Trie)), trie_destroy(Trie)),
    retractall(query_(_, _, _, _, _, _)),
    retractall(example_name(_, _, _, _, _, _)).

read_outside(Stream, Mode, Example) :-
    (   Mode == fast
    ->  read_placed(Stream, Term, Place)
    ;   read_next(Stream, Term, Place)
    ),
    outside(Term, Place, Stream, Mode, Example).

outside(Term, Place, Stream, _, _) :-
    Term == end_of_file,
    !,
    check_end(Stream, Place).
outside(Term, Place, Stream, Mode, Example) :-
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
    % What reading leaves on the stacks goes with each example.
    \+ \+ read_inside(Mode, Stream, block(Example, Id, Line, Place, Names, Facts, Objects, Trie),
                      state(1, Names, Facts, Objects, 0)),
    trie_destroy(Trie),
    Example1 is Example+1,
    read_outside(Stream, Mode, Example1).
outside(Term, Place, Stream, Mode, Example) :-
    subsumes_term(end(model(_)), Term),
    !,
    Term = end(model(Id)),
    add_fault(Place,
              'end(model(~w)) without its begin(model(~w)); delete it or add the begin',
              [Id, Id]),
    read_outside(Stream, Mode, Example).
outside(Term, Place, Stream, Mode, Example) :-
    subsumes_term(bias(_), Term),
    arg(1, Term, Pattern),
    callable(Pattern),
    !,
    add_bias(Pattern, Place),
    read_outside(Stream, Mode, Example).
outside(Term, Place, Stream, Mode, Example) :-
    assertz(outside_(Place, Term)),
    read_outside(Stream, Mode, Example).

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
    model_names(Names),
    trie_lookup(Names, Id, First),
    !,
    add_fault(Place,
              'model ~w was already defined in line ~w; give each model a name of its own',
              [Id, First]).
check_model_name(Id, Place) :-
    place_line(Place, Line),
    model_names(Names),
    trie_insert(Names, Id, Line).

%   read_inside(+Mode, +Stream, +Block, +State)
%
%   Read the rest of an example. Block is block(Example, Id, Line, Begin, Names,
%   Facts, Objects, Trie): it began at place Begin; the terms of its objects, its
%   facts, as their numbers, and the places of their objects are lists to be
%   completed; Trie has the places of objects by their terms. State is
%   state(Next, Names, Facts, Objects, Fold): the place of the next new object,
%   and what is to be completed of the three lists.

read_inside(fast, Stream, Block, state(Next, Names, Facts, Objects, Fold)) :-
    arg(8, Block, Trie),
    read_facts(Stream, Block, Trie, Next, Names, Facts, Objects, Fold).
read_inside(careful, Stream, Block, State0) :-
    read_next(Stream, Term, Place),
    (   plain_fact(Term, Block, State0, State)
    ->  read_inside(careful, Stream, Block, State)
    ;   inside(Term, Place, careful, Stream, Block, State0)
    ).

%   plain_fact(+Term, +Block, +State0, -State) is semidet.
%
%   Term is a fact without weight of a predicate that occurred before.

plain_fact(Term, Block, state(Next0, Names0, [Number|Facts], Objects0, Fold),
           state(Next, Names, Facts, Objects, Fold)) :-
    nonvar(Term),
    arg(8, Block, Trie),
    loader(Term, Trie, Number, Next0, Next, Names0, Names, Objects0, Objects).

%   read_facts(+Stream, +Block, +Trie, +Next, ?Names, ?Facts, ?Objects, +Fold)
%
%   For files that are expected to be free of faults: a syntax error is an exception,
%   and the place of a term is the stream, which stands where it ends. The path of
%   plain facts of predicates that occurred before is a call of read/2, which takes a
%   sixth less time than read_term/3, and of the loader for each.

read_facts(Stream, Block, Trie, Next0, Names0, Facts0, Objects0, Fold) :-
    read(Stream, Term),
    (   nonvar(Term),
        loader(Term, Trie, Number, Next0, Next, Names0, Names, Objects0, Objects)
    ->  Facts0 = [Number|Facts],
        read_facts(Stream, Block, Trie, Next, Names, Facts, Objects, Fold)
    ;   inside(Term, Stream, fast, Stream, Block, state(Next0, Names0, Facts0, Objects0, Fold))
    ).

inside(Term, Place, _, Stream, Block, _) :-
    Term == end_of_file,
    !,
    (   cut_short
    ->  true
    ;   Block = block(_, Id, _, Begin, _, _, _, _),
        add_fault(Begin, 'model ~w is not closed; add end(model(~w)). after its last fact',
                  [Id, Id])
    ),
    check_end(Stream, Place).
inside(Term, Place, _, _, Block, State) :-
    subsumes_term(end(model(_)), Term),
    !,
    Term = end(model(Id)),
    Block = block(_, Id0, Line, _, _, _, _, _),
    (   Id == Id0
    ->  term_text(Id0, Text),
        finish_example(Block, Text, State)
    ;   ground(Id0)
    ->  add_fault(Place,
                  'end(model(~w)) closes model ~w of line ~w; the names must be the same',
                  [Id, Id0, Line])
    ;   true
    ).
inside(Term, Place, Mode, Stream, Block, State) :-
    subsumes_term(begin(model(_)), Term),
    !,
    Term = begin(model(Id)),
    Block = block(_, Id0, Line0, _, Names, Facts, Objects, Trie),
    add_fault(Place,
              'model ~w begins inside model ~w of line ~w; add end(model(~w)). before it',
              [Id, Id0, Line0, Id0]),
    place_line(Place, Line),
    read_inside(Mode, Stream, block(0, Id, Line, Place, Names, Facts, Objects, Trie), State).
inside(Term, Place, Mode, Stream, Block, State0) :-
    example_item(Term, Place, Block, State0, State),
    read_inside(Mode, Stream, Block, State).

%   finish_example(+Block, +Text, +State)
%
%   Store an example that is called Text.

finish_example(block(Example, _, Line, _, Names, Facts, Objects, _), Text,
               state(Next, [], [], [], Fold)) :-
    store_example(Example, Names, Facts, Objects),
    Count is Next-1,
    length(Facts, FactCount),
    assertz(example_name(Example, Text, Line, Fold, Count, FactCount)).

%   example_item(+Term, +Place, +Block, +State0, -State)
%
%   One term of an example that is not the plain path.

example_item(Term, Place, _, State, State) :-
    item_fault(Term, State, Format, Arguments),
    !,
    add_fault(Place, Format, Arguments).
example_item(fold(Fold), _, _, State0, State) :-
    !,
    State0 = state(Next, Names, Facts, Objects, _),
    State = state(Next, Names, Facts, Objects, Fold).
example_item(query(Atom), Place, Block, State0, State) :-
    !,
    add_query(Atom, null, Place, Block, State0, State).
example_item(query(Atom, Target), Place, Block, State0, State) :-
    !,
    (   number(Target)
    ->  Value is float(Target)
    ;   term_text(Target, Text),
        Value = class(Text)
    ),
    add_query(Atom, Value, Place, Block, State0, State).
example_item(Weight::Atom, _, Block, State0, State) :-
    !,
    load_fact(Atom, Block, Plain, State0, state(Next, Names, [Number|Facts], Objects0, Fold)),
    Value is float(Weight),
    (   Value =:= 1.0
    ->  Number = Plain,
        Objects = Objects0
    ;   weighted_number(Plain, Number),
        weight_index(Value, Index),
        Objects0 = [Index|Objects]
    ),
    State = state(Next, Names, Facts, Objects, Fold).
example_item(Atom, _, Block, State0, state(Next, Names, Facts, Objects, Fold)) :-
    load_fact(Atom, Block, Number, State0, state(Next, Names, [Number|Facts], Objects, Fold)).

%   add_query(+Atom, +Target, +Place, +Block, +State0, -State)
%
%   Target is a float, class(Text) of a word, or null for none.

add_query(Atom, Target, Place, Block, State0, State) :-
    State0 = state(Next0, Names0, Facts, Objects, Fold),
    State = state(Next, Names, Facts, Objects, Fold),
    Block = block(Example, _, _, _, _, _, _, Trie),
    atom_arguments(Atom, Name, Arguments),
    length(Arguments, Arity),
    place_all(Arguments, Trie, Places, Next0, Next, Names0, Names),
    term_text(Atom, Text),
    place_line(Place, Line),
    assertz(query_(Example, Name/Arity, Places, Text, Target, Line)).

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

%   load_fact(+Atom, +Block, -Number, +State0, -State)
%
%   Add the objects of a fact. Number is that of its predicate, to be put into the
%   list of facts.

load_fact(Atom, Block, Number, state(Next0, Names0, Facts, Objects0, Fold),
          state(Next, Names, Facts, Objects, Fold)) :-
    arg(8, Block, Trie),
    atom_arguments(Atom, Name, Arguments),
    length(Arguments, Arity),
    (   data_predicate(Name/Arity, _, _)
    ->  true
    ;   declare_data_predicate(Name/Arity, New),
        register_loader(Name, Arity, New)
    ),
    loader(Atom, Trie, Number, Next0, Next, Names0, Names, Objects0, Objects).

%   register_loader(+Name, +Arity, +Number)
%
%   Compile a clause that adds the objects of a fact of this predicate to those of
%   an example. One such clause for each predicate is faster than any general
%   conversion. It comes before all else, so it leaves the bounds of a model alone.

register_loader(Name, Arity, Number) :-
    functor_of(Name, Arity, Atom, Arguments),
    place_goals(Arguments, Trie, Next0, Next, Names0, Names, Objects0, Objects, Goals0),
    (   memberchk(Name/Arity, [begin/1, end/1])
    ->  Arguments = [Argument],
        Goals = (Argument \= model(_), Goals0)
    ;   Goals = Goals0
    ),
    assertz((loader(Atom, Trie, Number, Next0, Next, Names0, Names, Objects0, Objects) :- Goals)).

functor_of(Name, 0, Name, []) :-
    !.
functor_of(Name, Arity, Atom, Arguments) :-
    length(Arguments, Arity),
    Atom =.. [Name|Arguments].

place_goals([], _, Next, Next, Names, Names, Objects, Objects, true).
place_goals([Term|Terms], Trie, Next0, Next, Names0, Names, [Place|Objects0], Objects,
            (   (   trie_lookup(Trie, Term, Place)
                ->  Next1 = Next0,
                    Names1 = Names0
                ;   lrnn_data:new_object(Term, Trie, Place, Next0, Next1, Names0, Names1)
                ),
                Goals
            )) :-
    place_goals(Terms, Trie, Next1, Next, Names1, Names, Objects0, Objects, Goals).

new_object(Term, Trie, Place, Place, Next, [Term|Names], Names) :-
    ground(Term),
    trie_insert(Trie, Term, Place),
    Next is Place+1.

place_all([], _, [], Next, Next, Names, Names).
place_all([Term|Terms], Trie, [Place|Places], Next0, Next, Names0, Names) :-
    (   trie_lookup(Trie, Term, Known)
    ->  Place = Known,
        Next1 = Next0,
        Names1 = Names0
    ;   new_object(Term, Trie, Place, Next0, Next1, Names0, Names1)
    ),
    place_all(Terms, Trie, Places, Next1, Next, Names1, Names).

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
    Block = block(1, example, Line, First, Names, Facts, Objects, Trie),
    single_example(Items, Block, state(1, Names, Facts, Objects, 0), State),
    trie_destroy(Trie),
    finish_example(Block, "example", State).
finish_outside([]).

is_clause(Term) :-
    nonvar(Term),
    Term = (_ :- _).

single_example([], _, State, State).
single_example([item(Place, Term)|Items], Block, State0, State) :-
    example_item(Term, Place, Block, State0, State1),
    single_example(Items, Block, State1, State).

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
