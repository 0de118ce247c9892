-- --symmetry=on
type n: scalarset(2);
var x: array [n] of boolean;
startstate begin for i: n do x[i] := false end end;
ruleset i: n do
  rule begin x[i] := !x[i] end;
  cover "set" x[i];
end;
