% Molecules: soft clusters of atom types, hubs over them, and pairs of hubs.
% A hub is an atom of one cluster with a double bond to an atom of another. Which types belong to which cluster, and
% which of the hubs matter, is for training to find out. The rules of the pattern start with weights that make it count:
% training gets stuck more often where all weights are drawn.

_ :: cluster_1(X) :- t1(X).
_ :: cluster_1(X) :- t2(X).
_ :: cluster_1(X) :- t3(X).
_ :: cluster_1(X) :- t4(X).
_ :: cluster_1(X) :- t5(X).
_ :: cluster_1(X) :- t6(X).
_ :: cluster_1(X) :- t7(X).
_ :: cluster_1(X) :- t8(X).
_ :: cluster_1(X) :- t9(X).

_ :: cluster_2(X) :- t1(X).
_ :: cluster_2(X) :- t2(X).
_ :: cluster_2(X) :- t3(X).
_ :: cluster_2(X) :- t4(X).
_ :: cluster_2(X) :- t5(X).
_ :: cluster_2(X) :- t6(X).
_ :: cluster_2(X) :- t7(X).
_ :: cluster_2(X) :- t8(X).
_ :: cluster_2(X) :- t9(X).

_ :: cluster_3(X) :- t1(X).
_ :: cluster_3(X) :- t2(X).
_ :: cluster_3(X) :- t3(X).
_ :: cluster_3(X) :- t4(X).
_ :: cluster_3(X) :- t5(X).
_ :: cluster_3(X) :- t6(X).
_ :: cluster_3(X) :- t7(X).
_ :: cluster_3(X) :- t8(X).
_ :: cluster_3(X) :- t9(X).

1.0 :: hub_1(X) :- bond(X, Y, B), b_2(B), cluster_1(X), cluster_2(Y).
1.0 :: hub_2(X) :- bond(X, Y, B), b_2(B), cluster_2(X), cluster_3(Y).
1.0 :: hub_3(X) :- bond(X, Y, B), b_2(B), cluster_3(X), cluster_1(Y).

2.0 :: active :- bond(X, Y, B), hub_1(X), hub_1(Y).
2.0 :: active :- bond(X, Y, B), hub_2(X), hub_2(Y).
2.0 :: active :- bond(X, Y, B), hub_3(X), hub_3(Y).
_ :: active.
