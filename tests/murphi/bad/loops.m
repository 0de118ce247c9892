var x: 0..1;
startstate begin x := 0 end;
rule begin for i: 0..99999999 do x := 0 end end;
