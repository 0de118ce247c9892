// states 11 transitions 10 depth 7 deadlocks 2
// holds errors
// Each value that is received is stored before the next one's index is computed. (Spin's search does not undo it.)
byte g, b[2];
chan c = [1] of { byte, byte };
active proctype P() {
  c!1, 7;
  if
  :: c?g, b[g % 2]; assert(b[1] == 7 && b[0] == 0)
  :: assert(b[1] == 0); c?b[g], g; assert(b[0] == 1 && b[1] == 0 && g == 7); g = 0; b[0] = 0
  fi
}
