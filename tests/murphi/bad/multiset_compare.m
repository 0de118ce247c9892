var r, s: record m: multiset [2] of boolean end;
startstate begin clear r; clear s end;
rule "same" r = s ==> begin end;
