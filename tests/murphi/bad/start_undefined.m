var x, y: 0..1;
startstate begin x := y end;
