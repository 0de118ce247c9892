var x: 0..1;
startstate begin x := 2 end;
