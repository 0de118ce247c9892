type t: 0..1;
var m: multiset [2] of t;
