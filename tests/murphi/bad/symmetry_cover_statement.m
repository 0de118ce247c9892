-- --symmetry=on
type n: scalarset(2);
var x: array [n] of boolean;
startstate begin for i: n do x[i] := false end end;
ruleset i: n do rule begin cover x[i]; x[i] := !x[i] end end;
