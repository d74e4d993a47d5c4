% Trains: two soft clusters of cars, and a rule that some car is in both.
% Which lengths are `small` and which roofs are `covered` is for training to find out. The rule that matters starts
% with a weight that makes it count; the other weights are drawn.

_ :: small(C) :- length_short(C).
_ :: small(C) :- length_long(C).

_ :: covered(C) :- roof_none(C).
_ :: covered(C) :- roof_flat(C).
_ :: covered(C) :- roof_peaked(C).
_ :: covered(C) :- roof_arc(C).
_ :: covered(C) :- roof_jagged(C).

1.0 :: eastbound :- small(C), covered(C).
_ :: eastbound :- small(C).
_ :: eastbound :- covered(C).
_ :: eastbound.
