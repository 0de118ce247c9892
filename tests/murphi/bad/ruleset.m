type r: record a: 0..1 end;
var x: 0..1;
startstate begin x := 0 end;
ruleset i := 0 to 4 by 2 do rule begin x := 0 end end;
ruleset i := 4 to 0 do rule begin x := 0 end end;
ruleset i: r do rule begin x := 0 end end;
ruleset i: 0..1 do var y: 0..1; end;
