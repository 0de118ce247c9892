var x: 0..1; /* a
