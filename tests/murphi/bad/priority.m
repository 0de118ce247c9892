var x: 0..1;
rule 10 "low" x = 0 ==> begin x := 1 end;
