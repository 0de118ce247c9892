-- scalarsets with ten million names
type
  s0: scalarset(1000000);
  s1: scalarset(1000000);
  s2: scalarset(1000000);
  s3: scalarset(1000000);
  s4: scalarset(1000000);
  s5: scalarset(1000000);
  s6: scalarset(1000000);
  s7: scalarset(1000000);
  s8: scalarset(1000000);
  s9: scalarset(1000000);
  s10: scalarset(1000000);
var v: s0;
startstate begin undefine v; end;
