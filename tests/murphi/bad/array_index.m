var x: array [0..99999999] of 0..1;
