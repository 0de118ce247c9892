-- --symmetry=on
type n: scalarset(2);
var x: array [n] of record a: 0..1; p: n end;
startstate begin for i: n do clear x[i] end end;
rule begin end;
