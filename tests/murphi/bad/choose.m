var m: multiset [2] of boolean;
choose i: m; rule begin end end;
