var x: 0..1;
function f(): boolean; begin x := 1; return true end;
startstate begin x := 0 end;
rule f() ==> begin x := 0 end;
invariant f();
