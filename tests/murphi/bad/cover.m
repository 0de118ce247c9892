var x: 0..1;
function f(): boolean; begin cover x = 0; return true end;
startstate begin x := 0; cover x = 0 end;
rule begin cover x; cover x = 0 end;
