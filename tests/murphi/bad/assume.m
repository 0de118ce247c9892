var x: 0..1;
startstate begin x := 0 end;
assume x = 0;
liveness x = 1;
