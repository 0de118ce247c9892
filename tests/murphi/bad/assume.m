var x: 0..1;
function f(y: 0..1): boolean; begin assume y = 0; return true end;
procedure p(y: 0..1); begin assume y = 0 end;
function g(): boolean; begin p(0); return true end;
startstate begin x := 0; assume x = 0 end;
assume x = 0;
