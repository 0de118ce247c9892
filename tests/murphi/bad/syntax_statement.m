function f(): 0..1; begin return 1 end;
startstate begin f() + 1 end;
