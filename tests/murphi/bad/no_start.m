var x: 0..1;
