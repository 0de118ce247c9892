invariant "open x = 1;
