% Families: a grandparent is two steps away. Whether a step leads down to a child or up to a parent is for training
% to find out. The rule that matters starts with a weight that makes it count: training gets stuck more often where all
% weights are drawn.

_ :: step(X, Y) :- parent(X, Y).
_ :: step(X, Y) :- parent(Y, X).

1.0 :: grandparent(X, Y) :- step(X, Z), step(Z, Y).

% Pairs that are too near or too far, and a rule for every pair of persons, which works as a bias.

_ :: grandparent(X, Y) :- step(X, Y).
_ :: grandparent(X, Y) :- step(X, Z), step(Z, U), step(U, Y).

_ :: person(X) :- female(X).
_ :: person(X) :- male(X).

_ :: grandparent(X, Y) :- person(X), person(Y).
