var x: 0..1;
startstate begin x := 0 end;
rule 1 "low" begin cover x = 0 end;
