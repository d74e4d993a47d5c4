% From here on nothing depends on the model: how data are read and what rules compute.

%   main reads data files, prints a header line and one line for each query with tabs between: example, atom,
%   target and output; of classes the one that is predicted, then the probability of each.

main :-
    current_prolog_flag(argv, Files),
    (   Files == []
    ->  format(user_error, 'usage: swipl program.pl -- DATA...~n', []),
        halt(2)
    ;   set_stream(user_output, encoding(utf8)),
        compile_rules,
        task(_, Last),
        classes(Classes),
        shown_list([example, atom, target, Last|Classes]),
        forall(member(File, Files), predict_file(File))
    ).

:- dynamic
    compiled/6,                         % Member, Number, Weight, Head, Goals, Objects-Values
    headed/2,                           % Member, Functor
    background/2,                       % Head, Goals
    background_functor/1,
    stored/2,                           % Atom, Weight
    asked/2,                            % Atom, Target
    unasked/0,
    value_/3,                           % Member, Atom, Value
    pending/2.                          % Member, Atom

:- table derived/1, derivable/2.

% Predicates of the data get names that no predicate of Prolog's has.

internal(Atom, Internal) :-
    Atom =.. [Name|Arguments],
    atom_concat('p ', Name, Key),
    Internal =.. [Key|Arguments].

% The rules

compile_rules :-
    retractall(compiled(_, _, _, _, _, _)),
    retractall(headed(_, _)),
    forall(rule(Member, Number, Weight, Head0, Body),
           ( internal(Head0, Head),
             functor(Head, Name, Arity),
             ordered(Body, [], Goals),
             objects_values(Head0, Body, Variables),
             assertz(compiled(Member, Number, Weight, Head, Goals, Variables)),
             (   headed(Member, Name/Arity)
             ->  true
             ;   assertz(headed(Member, Name/Arity))
             )
           )).

% objects_values(+Head, +Body, -Variables): Objects-Values, where Values are compared as numbers. Two of them may be the same
% number where all objects are different ones.

objects_values(Head, Body, Objects-Values) :-
    include(comparison, Body, Comparisons),
    term_variables(Comparisons, Values),
    term_variables(Head-Body, Variables),
    exclude(among(Values), Variables, Objects).

comparison(Goal) :-
    functor(Goal, Name, 2),
    memberchk(Name, [<, =<, >, >=, =:=, =\=]).

% ordered(+Body, +Bound, -Goals): guards as soon as their variables are bound.

ordered([], _, []) :-
    !.
ordered(Body, Bound, [Goal|Goals]) :-
    (   select(Next, Body, Rest),
        ready(Next, Rest, Bound)
    ->  true
    ;   select(Next, Body, Rest),
        \+ guard(Next)
    ->  true
    ;   Body = [Next|_],
        format(user_error, 'nothing binds the variables of ~q~n', [Next]),
        halt(1)
    ),
    goal(Next, Goal),
    (   Next = (\+ _)
    ->  Bound1 = Bound
    ;   term_variables(Bound-Next, Bound1)
    ),
    ordered(Rest, Bound1, Goals).

ready(\+ Atom, Rest, Bound) :-
    !,
    term_variables(Atom, Variables),
    term_variables(Rest, Elsewhere),
    forall(( member(X, Variables), occurs_in(X, Elsewhere) ), occurs_in(X, Bound)).
ready(_ is Expression, _, Bound) :-
    !,
    bound(Expression, Bound).
ready(between(Low, High, _), _, Bound) :-
    !,
    bound(Low-High, Bound).
ready(X = Y, _, Bound) :-
    !,
    ( bound(X, Bound) ; bound(Y, Bound) ),
    !.
ready(Goal, _, Bound) :-
    guard(Goal),
    !,
    bound(Goal, Bound).
ready(Atom, _, Bound) :-
    term_variables(Atom, Variables),
    member(X, Variables),
    occurs_in(X, Bound),
    !.

bound(Term, Bound) :-
    term_variables(Term, Variables),
    forall(member(X, Variables), occurs_in(X, Bound)).

occurs_in(X, Variables) :-
    member(Y, Variables),
    Y == X,
    !.

among(Variables, X) :-
    occurs_in(X, Variables).

goal(\+ Atom, not(Internal)) :-
    !,
    internal(Atom, Internal).
goal(Guard, guard(Guard)) :-
    guard(Guard),
    !.
goal(Atom, atom(Internal)) :-
    internal(Atom, Internal).

guard(\+ _).
guard(Goal) :-
    functor(Goal, Name, Arity),
    memberchk(Name/Arity,
              [ (=)/2, (\=)/2, (==)/2, (\==)/2, dif/2, (@<)/2, (@=<)/2, (@>)/2, (@>=)/2, (<)/2, (=<)/2,
                (>)/2, (>=)/2, (=:=)/2, (=\=)/2, (is)/2, between/3, true/0, fail/0, false/0, atom/1,
                atomic/1, compound/1, float/1, integer/1, number/1, string/1
              ]).

% What is true. A predicate of background clauses and one with rules is tabled: recursion ends.

true_goals([], _).
true_goals([Goal|Goals], Member) :-
    true_goal(Goal, Member),
    true_goals(Goals, Member).

true_goal(atom(Atom), Member) :-
    holds(Member, Atom).
true_goal(not(Atom), _) :-
    \+ in_data(Atom).
true_goal(guard(Guard), _) :-
    call(Guard).

holds(Member, Atom) :-
    functor(Atom, Name, Arity),
    (   headed(Member, Name/Arity)
    ->  derivable(Member, Atom)
    ;   in_data(Atom)
    ).

derivable(_, Atom) :-
    in_data(Atom).
derivable(Member, Atom) :-
    compiled(Member, _, _, Atom, Goals, Variables),
    true_goals(Goals, Member),
    identity_allows(Member, Variables).

in_data(Atom) :-
    functor(Atom, Name, Arity),
    (   background_functor(Name/Arity)
    ->  derived(Atom)
    ;   example:Atom
    ).

derived(Atom) :-
    example:Atom.
derived(Atom) :-
    background(Atom, Goals),
    true_goals(Goals, data).

identity_allows(Member, Objects-_) :-
    (   model(Member, _, _, _, true, _, _, _)
    ->  sort(Objects, Different),
        same_length(Objects, Different)
    ;   true
    ).

% What neurons compute

output(Query, [Output]) :-
    \+ task(classes, _),
    !,
    internal(Query, Atom),
    findall(Value,
            ( model(Member, _, _, _, _, _, Center, Scale), value(Member, Atom, Sum), Value is Center+Scale*Sum ),
            Values),
    mean(Values, Output).
output(Query, [Best|Outputs]) :-
    classes(Classes),
    findall(Class-Output,
            ( member(Class, Classes),
              findall(Value, ( model(Member, _, _, _, _, _, _, _), probability(Member, Query, Class, Value) ), Values),
              mean(Values, Output)
            ),
            Pairs),
    pairs_values(Pairs, Outputs),
    max_list(Outputs, Largest),
    memberchk(Best-Largest, Pairs).

mean(Values, Mean) :-
    sum_list(Values, Sum),
    length(Values, Count),
    Mean is Sum/Count.

% Of a class: softmax of the sums of all classes of a query.

probability(Member, Query, Class, Probability) :-
    findall(Other-Scaled, scaled(Member, Query, Other, Scaled), Sums),
    (   memberchk(Class-Own, Sums)
    ->  pairs_values(Sums, Values),
        max_list(Values, Largest),
        foldl([Value, Sum0, Sum]>>(Sum is Sum0+exp(Value-Largest)), Values, 0.0, Sum),
        Probability is exp(Own-Largest)/Sum
    ;   Probability = 0.0
    ).

scaled(Member, Query, Class, Scaled) :-
    Query =.. [Name|Arguments],
    classes(Classes),
    member(Class, Classes),
    append(Arguments, [Class], WithClass),
    Head =.. [Name|WithClass],
    internal(Head, Atom),
    functor(Atom, Key, Arity),
    functor(Any, Key, Arity),
    arg(Arity, Any, Class),
    once(compiled(Member, _, _, Any, _, _)),
    value(Member, Atom, Value),
    model(Member, Activation, Steepness, _, _, _, _, _),
    (   Activation == lukasiewicz
    ->  Scaled is Steepness*Value
    ;   Scaled = Value
    ).

% Atoms of targets that are numbers or classes are plain sums.

linear(Atom) :-
    task(Task, _),
    Task \== binary,
    functor(Atom, Name, Arity),
    asked(Query, _),
    internal(Query, Asked),
    functor(Asked, Name, Given),
    (   Task == classes
    ->  Arity =:= Given+1
    ;   Arity =:= Given
    ),
    !.

value(Member, Atom, Value) :-
    value_(Member, Atom, Known),
    !,
    Value = Known.
value(Member, Atom, _) :-
    pending(Member, Atom),
    !,
    format(user_error, '~q depends on itself~n', [Atom]),
    halt(1).
value(Member, Atom, Value) :-
    assertz(pending(Member, Atom)),
    fact_weights(Atom, Given),
    findall(Weight, compiled(Member, _, Weight, Atom, [], _), Learned),
    findall(Input, aggregated(Member, Atom, Input), Derived),
    append([Given, Learned, Derived], Inputs),
    sum_list(Inputs, Sum),
    model(Member, Activation, Steepness, Offset, _, _, _, _),
    (   linear(Atom)
    ->  Value is float(Sum)
    ;   Activation == lukasiewicz
    ->  sigmoid(Steepness*(Sum+Offset), Value)
    ;   Derived == [], Inputs \== []
    ->  Value = Sum
    ;   sigmoid(Sum, Value)
    ),
    retract(pending(Member, Atom)),
    assertz(value_(Member, Atom, Value)).

fact_weights(Atom, Weights) :-
    findall(Weight, stored(Atom, Weight), Weights0),
    (   Weights0 == [],
        in_data(Atom)
    ->  Weights = [1.0]
    ;   Weights = Weights0
    ).

% Each rule with its groundings for one head: weight times mean, or sum by the root of their number.

aggregated(Member, Head, Input) :-
    compiled(Member, Number, Weight, Head0, [_|_], _),
    \+ \+ Head0 = Head,
    findall(Variables-Body,
            ( compiled(Member, Number, _, Head, Goals, Variables),
              true_goals(Goals, Member),
              identity_allows(Member, Variables),
              findall(Atom, member(atom(Atom), Goals), Body)
            ),
            Groundings0),
    Groundings0 \== [],
    sort(1, @<, Groundings0, Groundings),
    findall(Value,
            ( member(_-Body, Groundings), rule_value(Member, Body, Value) ),
            Values),
    model(Member, _, _, _, _, Aggregation, _, _),
    aggregated(Aggregation, Values, Value),
    Input is Weight*Value.

aggregated(mean, Values, Value) :-
    sum_list(Values, Sum),
    length(Values, Count),
    Value is Sum/Count.
aggregated(sqrt, Values, Value) :-
    sum_list(Values, Sum),
    length(Values, Count),
    Value is Sum/sqrt(Count).
aggregated(max, Values, Value) :-
    max_list(Values, Value).
aggregated(sum, Values, Value) :-
    sum_list(Values, Value).

rule_value(Member, Body, Value) :-
    findall(AtomValue,
            ( member(Atom, Body), value(Member, Atom, AtomValue) ),
            Values),
    sum_list(Values, Sum),
    length(Values, Count),
    model(Member, Activation, Steepness, Offset, _, _, _, _),
    (   Activation == lukasiewicz
    ->  sigmoid(Steepness*(Sum-Count+1+Offset), Value)
    ;   sigmoid(Sum, Value)
    ).

sigmoid(Expression, Value) :-
    X is Expression,
    (   X >= 0
    ->  Value is 1/(1+exp(-X))
    ;   Value is exp(X)/(1+exp(X))
    ).

% Data: examples in blocks, background knowledge outside; without blocks all is one example.

predict_file(File) :-
    setup_call_cleanup(open(File, read, Stream, [encoding(utf8)]), read_terms(Stream, Terms), close(Stream)),
    retractall(background(_, _)),
    retractall(background_functor(_)),
    (   memberchk(begin(model(_)), Terms)
    ->  outside(Terms, Outside),
        forall(member(Term, Outside), add_background(Term)),
        predict_blocks(Terms)
    ;   forall(( member(Term, Terms), Term = (_ :- _) ), add_background(Term)),
        findall(Term, ( member(Term, Terms), \+ Term = (_ :- _), \+ Term = bias(_) ), Facts),
        predict_example(example, Facts)
    ),
    (   retract(unasked)
    ->  retractall(unasked),
        format(user_error, '~w: some examples have no query and get no output; add query(Atom). to them~n', [File])
    ;   true
    ).

read_terms(Stream, Terms) :-
    read_term(Stream, Term, []),
    (   Term == end_of_file
    ->  Terms = []
    ;   Terms = [Term|Rest],
        read_terms(Stream, Rest)
    ).

outside([], []).
outside([begin(model(Name))|Terms], Outside) :-
    !,
    append(_, [end(model(Name))|Rest], Terms),
    !,
    outside(Rest, Outside).
outside([bias(_)|Terms], Outside) :-
    !,
    outside(Terms, Outside).
outside([Term|Terms], [Term|Outside]) :-
    outside(Terms, Outside).

add_background(Term) :-
    (   Term = (Head0 :- Body)
    ->  true
    ;   Head0 = Term,
        Body = true
    ),
    internal(Head0, Head),
    functor(Head, Name, Arity),
    (   background_functor(Name/Arity)
    ->  true
    ;   assertz(background_functor(Name/Arity))
    ),
    forall(alternative(Body, Goals0),
           ( term_variables(Head0, Bound), ordered(Goals0, Bound, Goals), assertz(background(Head, Goals)) )).

alternative((A, B), Goals) :-
    !,
    alternative(A, First),
    alternative(B, Second),
    append(First, Second, Goals).
alternative((A ; B), Goals) :-
    !,
    ( alternative(A, Goals) ; alternative(B, Goals) ).
alternative(true, []) :-
    !.
alternative(Goal, [Goal]).

predict_blocks(Terms) :-
    (   append(_, [begin(model(Name))|Rest0], Terms),
        append(Facts, [end(model(Name))|Rest], Rest0)
    ->  predict_example(Name, Facts),
        predict_blocks(Rest)
    ;   true
    ).

predict_example(Name, Facts) :-
    forall(retract(stored(Atom, _)), retractall(example:Atom)),
    retractall(asked(_, _)),
    retractall(value_(_, _, _)),
    abolish_all_tables,
    forall(member(Fact, Facts), store(Fact)),
    ask_targets,
    forall(asked(Query, Target),
           ( output(Query, Outputs),
             forall(member(Cell, [Name, Query, Target]), ( shown(Cell), put_char('\t') )),
             shown_list(Outputs)
           )).

% An example without a query is asked for the targets that have no arguments.

ask_targets :-
    asked(_, _),
    !.
ask_targets :-
    targets(Targets),
    (   Targets == []
    ->  assertz(unasked)
    ;   forall(member(Target, Targets), assertz(asked(Target, '')))
    ).

shown_list([Last]) :-
    !,
    shown(Last),
    nl.
shown_list([Cell|Cells]) :-
    shown(Cell),
    put_char('\t'),
    shown_list(Cells).

shown('') :-
    !.
shown(Term) :-
    write_term(Term, [quoted(true), spacing(next_argument)]).

store(fold(_)) :-
    !.
store(query(Atom)) :-
    !,
    assertz(asked(Atom, '')).
store(query(Atom, Target0)) :-
    !,
    (   task(classes, _)
    ->  Target = Target0
    ;   Target is float(Target0)
    ),
    assertz(asked(Atom, Target)).
store(Weight :: Atom) :-
    !,
    store(Atom, Weight).
store(Atom) :-
    store(Atom, 1.0).

store(Atom, Weight0) :-
    Weight is float(Weight0),
    internal(Atom, Internal),
    (   stored(Internal, Weight)
    ->  true
    ;   stored(Internal, _)
    ->  assertz(stored(Internal, Weight))
    ;   assertz(stored(Internal, Weight)),
        assertz(example:Internal)
    ).
