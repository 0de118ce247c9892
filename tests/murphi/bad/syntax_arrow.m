var x: 0..1;
rule x = 1 begin x := 0 end;
