var x: 0..2;
ruleset i: 0..2 do startstate begin x := i end end;
assume x != 1;
