var rule: 0..1;
