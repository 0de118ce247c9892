/* Clients ask a server for the right to work, one at a time. */
#define N 2
#define CAREFUL 0 /* 1: the server waits until the right is given back */

mtype = { ask, grant, back };
chan requests = [N] of { mtype, byte };
chan answers[N] = [0] of { mtype };
byte working;

active [N] proctype Client() {
  do
  :: requests!ask(_pid);
wait: answers[_pid]?grant;
     working++;
work: assert(working == 1);
     working--;
     requests!back(_pid)
  od
}

active proctype Server() {
  byte who;
end:
  do
  :: requests?ask(who) ->
     answers[who]!grant;
     if
     :: CAREFUL -> requests??back(_)
     :: else
     fi
  :: requests?back(_)
  od
}

ltl answered { [] (Client[0]@wait -> <> Client[0]@work) }
