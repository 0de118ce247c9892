var x: 0..1;
include "";
startstate x := 0 end;
