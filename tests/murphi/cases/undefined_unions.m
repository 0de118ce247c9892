-- states 7 transitions 6 depth 6 deadlocks 0
-- violated errors 6
-- error d is undefined
-- In a model with unions or multisets undefined scalars are copied, and undefined values of unions and scalarsets compared.
type node: scalarset(2);
     home: enum { Home };
     place: union { node, home };
     small: 0..2;
var a: place;
    b: place;
    s: node;
    n: 0..6;
    d: small;
    e: 0..4;
startstate begin undefine a; b := Home; undefine s; n := 0; undefine d; e := 4 end;
rule "equal" n = 0 & (a = b | s = a & b = s) ==> begin error "undefined is Home" end;
rule "differ" n = 0 & a != b & !(a = Home) ==> begin n := 1 end;
rule "copy" n = 1 ==> begin b := a; n := 2 end;
rule "both" n = 2 & a = b & isundefined(b) ==> begin n := 3 end;
rule "switch" n = 3 ==> begin switch b case Home: error "undefined is Home" else n := 4 end end;
rule "number" n = 4 ==>
var k: small;
begin
  k := d;
  e := k;
  if isundefined(e) then n := 5 end;
end;
rule "record" n = 5 ==> begin s := s; n := 6 end;
rule "read" n = 6 & d = 0 ==> begin n := 0 end;
