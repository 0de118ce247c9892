type e: enum { A, B };
     r: record a: boolean end;
var x: 0..1;
    c: e;
    t: r;
function f(v: 0..1; var w: 0..1): 0..1; begin return v end;
procedure p(var v: r); begin v.a := true end;
procedure g(v: r); begin p(v) end;
startstate begin x := 010 end;
rule begin
  x := e;
  x := f;
  x := true ? 1 : c;
  for i: r do x := 0 end;
end;
