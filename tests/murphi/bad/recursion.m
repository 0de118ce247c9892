var x: 0..1;
function f(n: 0..1): 0..1; begin return f(1 - n) end;
startstate begin x := 0 end;
rule begin x := f(x) end;
