var x: 0..1;
startstate begin x := 0 end;
rule begin x := x + 9223372036854775807 end;
