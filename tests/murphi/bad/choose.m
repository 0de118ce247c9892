var x: 0..1;
choose i: x do rule begin x := 0 end end;
