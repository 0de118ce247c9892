type i: 0..1023;
var x: array [i] of array [i] of array [i] of 0..1;
