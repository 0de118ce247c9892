var x: 0..1;
startstate begin x := 0 end;
liveness x = 1;
