var x: 0..1;
function f(): 0..1; begin return 1 end;
startstate begin x := 0 end;
rule begin x := x = 0 ? f() : 0 end;
