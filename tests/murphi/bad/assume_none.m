var x: 0..1;
startstate begin x := 0 end;
startstate begin x := 1 end;
assume x < 0;
