-- --symmetry=on
type n: scalarset(2);
     message: record dest: n; body: 0..3 end;
var net: multiset [3] of message;
    flags: multiset [2] of boolean;
startstate begin end;
ruleset i: n do
  rule var m: message; begin m.dest := i; m.body := 0; multisetadd(m, net) end;
end;
