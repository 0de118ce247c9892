-- -D N=true -D B=7
const N: 2;
      B: true;
