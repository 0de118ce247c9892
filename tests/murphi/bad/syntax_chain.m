var x: boolean;
invariant x -> x -> x;
