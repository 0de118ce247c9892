var x: real(4, 2);
