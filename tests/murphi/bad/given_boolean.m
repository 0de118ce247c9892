-- -D B=7
const B: true;
