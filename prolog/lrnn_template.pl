:- module(lrnn_template,
          [ read_template/2             % +Stream, -Template
          ]).
:- use_module(library(lists), [append/3, member/2, memberchk/2]).
:- use_module(library(apply), [exclude/3, maplist/3]).
:- use_module(lrnn_language).
:- use_module(lrnn_terms).

/** <module> Read template and model files

A rule is given back in parts, with the names of its variables. A file holds one
model or, in blocks like those of data files, the members of an ensemble.
*/

:- op(1150, xfx, ::).

%!  read_template(+Stream, -Template) is det.
%
%   Template is template(Members, Faults), Members a list of
%   member(Line, Column, Name, Rules, Settings) with
%
%     - Line, Column, Name: where its block begins, and its name as text, "" in
%       a file without blocks, which has one member
%     - Rules: rule(Line, Column, Weight, Fixed, Head, Body, Guards), Weight a
%       number or the text "_", Fixed true or false, Head an atom
%       atom(Name, Arguments), Body a list of atoms, Guards a list of
%       guard(Parts, Negated, Goal), Negated [Name, Arity] of a negated atom or
%       [], Goal by goal_parts/3 or null
%     - Settings: setting(Line, Column, Name, ValueText)
%
%   An argument is variable(Name) or constant(Text).

read_template(Stream, template(Members, Faults)) :-
    clear_faults,
    template_terms(Stream, outside, Kind, Terms),
    (   Kind = data(Begin)
    ->  clear_faults,
        add_fault(Begin,
                  'an example begins here, so this is a data file; the template comes first, then the data',
                  []),
        Members = []
    ;   Kind \== outside
    ->  block_members(Terms, [], Members)
    ;   template_items(Terms, Items),
        member_of("", 1, 1, Items, Member),
        Members = [Member]
    ),
    collected_faults(Faults),
    clear_faults.

%   template_terms(+Stream, +Kind0, -Kind, -Terms)
%
%   Terms are term(Term, Place) up to the end of the file. Kind is `outside`
%   before the first block, begun(Begin) in a block that may yet be an example,
%   `model` once it is clear that it is none, and data(Begin) when it is one:
%   nothing more is read then.

template_terms(Stream, Kind0, Kind, Terms) :-
    read_next(Stream, Term, Place),
    (   Term == end_of_file
    ->  check_end(Stream, Place),
        Kind = Kind0,
        Terms = []
    ;   Kind0 = begun(Begin),
        example_term(Term)
    ->  Kind = data(Begin),
        Terms = []
    ;   kind_after(Kind0, Term, Place, Kind1),
        Terms = [term(Term, Place)|Terms1],
        template_terms(Stream, Kind1, Kind, Terms1)
    ).

kind_after(outside, Term, Place, Kind) :-
    !,
    (   block_begin(Term, _)
    ->  Kind = begun(Place)
    ;   Kind = outside
    ).
kind_after(begun(_), Term, _, model) :-
    model_term(Term),
    !.
kind_after(Kind, _, _, Kind).

%   Terms that only models have, and those that only examples have. A weighted
%   fact may be part of either.

model_term(Term) :-
    nonvar(Term),
    (   Term = setting(_, _)
    ;   Term = (_ :- _)
    ;   Term = (Weight::_),
        \+ number(Weight)
    ),
    !.

example_term(Term) :-
    nonvar(Term),
    \+ model_term(Term),
    \+ block_begin(Term, _),
    \+ block_end(Term, _),
    name_arity(Term, Name, Arity),
    \+ memberchk(Name/Arity, [(::)/2, (:-)/1, (?-)/1, (-->)/2]).

block_begin(Term, Name) :-
    subsumes_term(begin(model(_)), Term),
    Term = begin(model(Name)).

block_end(Term, Name) :-
    subsumes_term(end(model(_)), Term),
    Term = end(model(Name)).

%   block_members(+Terms, +Known, -Members)
%
%   The members of an ensemble. Known are the names so far as Name-Line.

block_members([], _, []).
block_members([term(Term, Place)|Terms0], Known0, Members) :-
    (   block_begin(Term, Name)
    ->  check_name(Name, Place, Known0, Known),
        block_terms(Terms0, Name, Place, Inside, Terms),
        template_items(Inside, Items),
        line_column(Place, Line, Column),
        canonical_text(Name, Text),
        member_of(Text, Line, Column, Items, Member),
        Members = [Member|Members1],
        block_members(Terms, Known, Members1)
    ;   outside_fault(Term, Format, Arguments),
        add_fault(Place, Format, Arguments),
        block_members(Terms0, Known0, Members)
    ).

check_name(Name, Place, Known, Known) :-
    \+ ground(Name),
    !,
    add_fault(Place,
              'the name ~w of the model is not ground; quote it if it starts with a capital letter',
              [Name]).
check_name(Name, Place, Known, Known) :-
    memberchk(Name-First, Known),
    !,
    add_fault(Place,
              'model ~w was already defined in line ~w; give each model a name of its own',
              [Name, First]).
check_name(Name, Place, Known, [Name-Line|Known]) :-
    place_line(Place, Line).

%   block_terms(+Terms0, +Name, +Begin, -Inside, -Terms)
%
%   Inside are the terms up to the end of the block that began at Begin, Terms
%   those after it. A block also ends where the next begins.

block_terms([], Name, Begin, [], []) :-
    (   cut_short
    ->  true
    ;   add_fault(Begin, 'model ~w is not closed; add end(model(~w)). after its last rule',
                  [Name, Name])
    ).
block_terms([term(Term, Place)|Terms0], Name, Begin, Inside, Terms) :-
    (   block_end(Term, End)
    ->  Inside = [],
        Terms = Terms0,
        check_block_end(End, Name, Begin, Place)
    ;   block_begin(Term, Next)
    ->  Inside = [],
        Terms = [term(Term, Place)|Terms0],
        place_line(Begin, Line),
        add_fault(Place,
                  'model ~w begins inside model ~w of line ~w; add end(model(~w)). before it',
                  [Next, Name, Line, Name])
    ;   Inside = [term(Term, Place)|Inside1],
        block_terms(Terms0, Name, Begin, Inside1, Terms)
    ).

check_block_end(End, Name, Begin, Place) :-
    (   End == Name
    ->  true
    ;   ground(Name)
    ->  place_line(Begin, Line),
        add_fault(Place,
                  'end(model(~w)) closes model ~w of line ~w; the names must be the same',
                  [End, Name, Line])
    ;   true
    ).

%   outside_fault(+Term, -Format, -Arguments) is det.
%
%   What is wrong with a term between the blocks of an ensemble.

outside_fault(Term, Format, [Name, Name]) :-
    block_end(Term, Name),
    !,
    Format = 'end(model(~w)) without its begin(model(~w)); delete it or add the begin'.
outside_fault(Term, Format, []) :-
    subsumes_term(setting(_, _), Term),
    !,
    Format = 'a setting outside all models; write it inside each model that it is for'.
outside_fault(Term, Format, Arguments) :-
    template_fault(Term, Format, Arguments),
    !.
outside_fault(Term, Format, [Head]) :-
    split_rule(Term, _, Head, _),
    Format = 'the rule for ~w stands outside all models; move it into one'.

member_of(Name, Line, Column, Items, member(Line, Column, Name, Rules, Settings)) :-
    findall(Rule, ( member(Rule, Items), functor(Rule, rule, _) ), Rules),
    findall(Setting, ( member(Setting, Items), functor(Setting, setting, _) ), Settings).

template_items([], []).
template_items([term(Term, Place)|Terms], Items) :-
    (   template_item(Term, Place, Item)
    ->  Items = [Item|Items1]
    ;   Items = Items1
    ),
    template_items(Terms, Items1).

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
    name_arity(Term, query, Arity),
    memberchk(Arity, [1, 2]),
    !,
    Format = '~w in a template; queries belong in the data'.
template_fault(Term, Format, []) :-
    name_arity(Term, setting, _),
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
    long_body_fault(Goals, Format, Arguments),
    !.
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
%   every second part is the name of a variable. Besides, the guard as terms.

guard_parts(Names, Goal, guard(Parts, Negated, Terms)) :-
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
    atomic_list_concat(Parts, Mark, MarkedText),
    (   goal_parts(Names, Goal, Terms)
    ->  true
    ;   Terms = null
    ).

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
