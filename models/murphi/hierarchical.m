-- A cache coherence protocol on two levels, for one block of memory.
--
-- AGENTS
--   L1 cache      CACHES in each of CLUSTERS clusters; MESI. A processor reads and writes in it.
--   L2            one in each cluster: a cache and the directory of the L1 caches of its cluster. It is inclusive: it holds
--                 every block that one of its L1 caches holds, and gives the block up only after all of them have.
--   home          the memory and the directory of the clusters.
-- A directory keeps a set of copies, and whether the only copy in it is exclusive. The holder of an exclusive copy may write
-- without a message, so the directory takes its own data for old until it hears from the holder.
--
-- STABLE STATES of an L1 cache and of an L2
--   I  no copy
--   S  a copy to read; there may be others
--   E  the only copy (in L2: the only cluster), equal to the level below
--   M  the only copy (in L2: the only cluster), to be written back
--
-- MESSAGES. There are two networks, one in each cluster between L1 and L2, one between L2 and home, with the same messages.
-- Networks keep no order: each message has a place of its own and is received at any time. An agent has at most one call and
-- is sent at most one probe at a time, so a place for each suffices; it holds the call or its answer, the probe or its answer.
--   call     get_s    asks for a copy to read             answered by data_s (shared), data_e (exclusive) or
--            get_m    asks for a copy to write            data_m (exclusive, to be written back)
--            put_e    gives an exclusive copy back        answered by put_ack
--            put_m    the same, with changed data
--   probe    inv      drop a shared copy                  answered by inv_ack
--            fetch_s  make the exclusive copy shared      answered by clean_ack or, with changed data, data_ack
--            fetch_m  give up the exclusive copy          the same
--   done     (between clusters) the caller has received its data
-- Shared copies are dropped without a message. So a directory may hold caches that have no copy; it never lacks one that has.
--
-- A cluster that asks for an exclusive block of another one receives it from there directly (three hops): the probe names the
-- client. The owner sends data to the client and an answer to home. With fetch_s the answer carries changed data to memory.
--
-- RACES
-- 1. Probes overtake answers. An invalidation reaches an L1 cache that waits for a shared copy (IS): the copy may be under way
--    and is then old. The cache answers at once and uses the data for one read only (IS_I). A fetch that reaches a cache
--    waiting for data (IS, IM, SM) overtook the exclusive copy; it waits for this copy.
-- 2. Between clusters home waits for `done` before it begins the next transaction, so probes never overtake data there. An
--    invalidation of a cluster that waits for a shared copy concerns an earlier copy, dropped since.
-- 3. Two sharers want to write. The directory serves one and invalidates the other while the call of the other waits. The
--    loser must answer at once (SM becomes IM; in L2: job write_inv), or both wait forever. It then needs data, not just the
--    right to write: data_m always carries data.
-- 4. A write-back meets a fetch. A cache that has sent put_e or put_m (EI, MI; in L2: job put_back) keeps the data and answers a fetch
--    from it; then it has nothing (II; in L2: job gone), and its put is late. A directory takes the data of a put only from
--    the holder of the exclusive copy, and acknowledges a late one.
-- 5. Probes of L2 by home meet transactions inside the cluster. Those that need only the L1 caches (down, clear, evict) end
--    first; while L2 waits for home (read, write) it serves invalidations.
--
-- BROKEN, a mistake:
--   1  an L1 cache keeps a shared copy although an invalidation overtook it (race 1)
--   2  home takes the data of a late write-back (race 4)
--   3  L2 acknowledges an invalidation before its L1 caches have done so
--   4  L2 answers an invalidation only after its own call (race 3)
--
-- Values are a range instead of a scalarset, as 0 is also the value of places without data.
-- Numbers of states: models/README.md.

const
  CLUSTERS: 2;
  CACHES: 1;
  VALUES: 2;
  BROKEN: 0;

type
  cluster: scalarset(CLUSTERS);
  cache: scalarset(CACHES);
  value: 0..VALUES - 1;

  call_kind: enum { no_call, get_s, get_m, put_e, put_m, data_s, data_e, data_m, put_ack };
  probe_kind: enum { no_probe, inv, fetch_s, fetch_m, inv_ack, clean_ack, data_ack };

  call: record kind: call_kind; data: value; end;
  inner_probe: record kind: probe_kind; data: value; end;
  outer_probe: record kind: probe_kind; data: value; client: cluster; end;

  l1_state: enum {
    l1_I, l1_S, l1_E, l1_M,
    l1_IS,   -- waits for a copy to read
    l1_IS_I, -- the same, and an invalidation has come
    l1_IM,   -- waits for a copy to write
    l1_SM,   -- the same, and reads a shared copy meanwhile
    l1_EI,   -- has sent put_e
    l1_MI,   -- has sent put_m
    l1_II    -- has sent one of them, and given the data to a fetch
  };
  l1: record state: l1_state; data: value; end;

  l2_state: enum { l2_I, l2_S, l2_E, l2_M };
  l2_job: enum {
    idle,
    read,      -- has sent get_s for client
    write,     -- has sent get_m for client
    write_inv, -- the same, and invalidates L1 copies for home
    down,      -- makes the exclusive L1 copy shared, for client
    clear_l1,  -- takes L1 copies away, for client
    evict,     -- takes L1 copies away, to give up the block
    put_back,  -- has sent put_e or put_m
    gone,      -- the same, and given the data to a fetch
    out_inv,   -- serves inv of home
    out_s,     -- serves fetch_s of home
    out_m      -- serves fetch_m of home
  };
  l2: record
    state: l2_state;
    data: value;
    copies: array [cache] of boolean;
    exclusive: boolean;
    job: l2_job;
    client: cache;
  end;

  home_job: enum {
    h_idle,
    h_inv,  -- waits for acknowledgements of invalidations
    h_down, -- waits for the answer to fetch_s
    h_move, -- waits for the answer to fetch_m
    h_done  -- waits for `done`
  };

var
  l1s: array [cluster] of array [cache] of l1;
  l2s: array [cluster] of l2;
  home: record
    data: value;
    copies: array [cluster] of boolean;
    exclusive: boolean;
    job: home_job;
    client: cluster;
  end;

  -- inside clusters
  calls: array [cluster] of array [cache] of call;
  probes: array [cluster] of array [cache] of inner_probe;
  -- between clusters and home
  outer_calls: array [cluster] of call;
  outer_probes: array [cluster] of outer_probe;
  done: array [cluster] of boolean;

  last: value; -- the value written last; the agents do not read it

-- PREDICATES

function readable(s: l1_state): boolean;
begin
  return s = l1_S | s = l1_E | s = l1_M | s = l1_SM;
end;

function writable(s: l1_state): boolean;
begin
  return s = l1_E | s = l1_M;
end;

function has_copies(c: cluster): boolean;
begin
  return exists i: cache do l2s[c].copies[i] end;
end;

-- STEPS OF AN L2

-- Inside a cluster: answer to a call
procedure grant(c: cluster; i: cache; kind: call_kind);
begin
  calls[c][i].kind := kind;
  calls[c][i].data := l2s[c].data;
  l2s[c].copies[i] := true;
  l2s[c].exclusive := kind != data_s;
end;

procedure finish(c: cluster);
begin
  l2s[c].job := idle;
  undefine l2s[c].client;
end;

-- Probe of the holder of an L1 copy
procedure take(c: cluster; i: cache);
begin
  assert probes[c][i].kind = no_probe "an L1 cache is sent one probe at a time";
  probes[c][i].kind := (l2s[c].exclusive ? fetch_m : inv);
end;

procedure take_all(c: cluster);
begin
  for i: cache do
    if l2s[c].copies[i] then take(c, i) end;
  end;
end;

procedure take_others(c: cluster; client: cache);
begin
  for i: cache do
    if i != client & l2s[c].copies[i] then take(c, i) end;
  end;
end;

procedure downgrade(c: cluster);
begin
  for i: cache do
    if l2s[c].exclusive & l2s[c].copies[i] then
      assert probes[c][i].kind = no_probe "an L1 cache is sent one probe at a time";
      probes[c][i].kind := fetch_s;
    end;
  end;
end;

procedure outer_call(c: cluster; kind: call_kind);
begin
  assert outer_calls[c].kind = no_call "an L2 has one call at a time";
  outer_calls[c].kind := kind;
  if kind = put_m then outer_calls[c].data := l2s[c].data end;
end;

-- Data for the client of a fetch, and the answer for home
procedure answer_fetch(c: cluster);
begin
  alias p: outer_probes[c] do
    outer_calls[p.client].kind := (p.kind = fetch_s ? data_s : data_m);
    outer_calls[p.client].data := l2s[c].data;
    if p.kind = fetch_s & l2s[c].state = l2_M then
      p.kind := data_ack;
      p.data := l2s[c].data;
    else
      p.kind := clean_ack;
    end;
    undefine p.client;
  end;
end;

procedure lose(c: cluster);
begin
  l2s[c].state := l2_I;
  l2s[c].data := 0;
end;

-- STEPS OF HOME

procedure send_data(c: cluster; kind: call_kind);
begin
  assert outer_calls[c].kind = no_call "an L2 has one call at a time";
  outer_calls[c].kind := kind;
  outer_calls[c].data := home.data;
  home.copies[c] := true;
  home.exclusive := kind != data_s;
  home.job := h_done;
end;

-- Probe of the holder of the exclusive copy
procedure fetch(client: cluster; kind: probe_kind);
begin
  for d: cluster do
    if home.copies[d] then
      assert outer_probes[d].kind = no_probe "an L2 is sent one probe at a time";
      outer_probes[d].kind := kind;
      outer_probes[d].client := client;
    end;
  end;
end;

-- START

startstate "no copies" begin
  for c: cluster do
    for i: cache do
      l1s[c][i].state := l1_I;
      l1s[c][i].data := 0;
      calls[c][i].kind := no_call;
      calls[c][i].data := 0;
      probes[c][i].kind := no_probe;
      probes[c][i].data := 0;
      l2s[c].copies[i] := false;
    end;
    l2s[c].state := l2_I;
    l2s[c].data := 0;
    l2s[c].exclusive := false;
    l2s[c].job := idle;
    undefine l2s[c].client;
    outer_calls[c].kind := no_call;
    outer_calls[c].data := 0;
    outer_probes[c].kind := no_probe;
    outer_probes[c].data := 0;
    undefine outer_probes[c].client;
    done[c] := false;
    home.copies[c] := false;
  end;
  home.data := 0;
  home.exclusive := false;
  home.job := h_idle;
  undefine home.client;
  last := 0;
end;

ruleset c: cluster do

-- L1 CACHES

ruleset i: cache do
alias own: l1s[c][i]; call: calls[c][i]; probe: probes[c][i] do

  rule "L1: wants to read" own.state = l1_I ==>
  begin
    own.state := l1_IS;
    call.kind := get_s;
  end;

  rule "L1: wants to write" own.state = l1_I | own.state = l1_S ==>
  begin
    own.state := (own.state = l1_I ? l1_IM : l1_SM);
    call.kind := get_m;
  end;

  ruleset v: value do
    rule "L1: writes" writable(own.state) ==>
    begin
      own.state := l1_M;
      own.data := v;
      last := v;
    end;
  end;

  rule "L1: drops a shared copy" own.state = l1_S ==>
  begin
    own.state := l1_I;
    own.data := 0;
  end;

  rule "L1: gives an exclusive copy back" writable(own.state) ==>
  begin
    if own.state = l1_M then
      call.kind := put_m;
      call.data := own.data;
      own.state := l1_MI;
    else
      call.kind := put_e;
      own.state := l1_EI;
    end;
  end;

  rule "L1: receives a shared copy" call.kind = data_s ==>
  begin
    if own.state = l1_IS then
      own.state := l1_S;
      own.data := call.data;
    else
      assert own.state = l1_IS_I "waits for a shared copy"; -- reads once (race 1)
      own.state := l1_I;
    end;
    call.kind := no_call;
    call.data := 0;
  end;

  rule "L1: receives an exclusive copy" call.kind = data_e | call.kind = data_m ==>
  begin
    if call.kind = data_e then
      assert own.state = l1_IS | own.state = l1_IS_I "waits for a copy";
      own.state := l1_E;
    else
      assert own.state = l1_IM | own.state = l1_SM "waits for a copy to write";
      own.state := l1_M;
    end;
    own.data := call.data;
    call.kind := no_call;
    call.data := 0;
  end;

  rule "L1: its put is acknowledged" call.kind = put_ack ==>
  begin
    assert own.state = l1_EI | own.state = l1_MI | own.state = l1_II "has sent a put";
    own.state := l1_I;
    own.data := 0;
    call.kind := no_call;
  end;

  rule "L1: is invalidated" probe.kind = inv ==>
  begin
    switch own.state
      case l1_S:
        own.state := l1_I;
      case l1_SM: -- race 3
        own.state := l1_IM;
      case l1_IS: -- race 1
        if BROKEN != 1 then own.state := l1_IS_I end;
      case l1_E, l1_M, l1_EI, l1_MI:
        error "an exclusive copy is fetched, not invalidated";
    end;
    own.data := 0;
    probe.kind := inv_ack;
  end;

  -- In other states the exclusive copy is still under way (race 1)
  rule "L1: is fetched" (probe.kind = fetch_s | probe.kind = fetch_m) &
    (writable(own.state) | own.state = l1_EI | own.state = l1_MI) ==>
  var keeps: boolean;
  begin
    keeps := probe.kind = fetch_s & writable(own.state);
    if own.state = l1_M | own.state = l1_MI then
      probe.kind := data_ack;
      probe.data := own.data;
    else
      probe.kind := clean_ack;
    end;
    if keeps then
      own.state := l1_S;
    else
      own.state := (writable(own.state) ? l1_I : l1_II); -- race 4
      own.data := 0;
    end;
  end;

end; -- alias
end; -- ruleset i

-- L2: CALLS OF ITS L1 CACHES

ruleset i: cache do
alias own: l2s[c]; call: calls[c][i]; probe: probes[c][i] do

  rule "L2: serves a reader" own.job = idle & call.kind = get_s ==>
  begin
    call.kind := no_call;
    if own.state = l2_I then
      outer_call(c, get_s);
      own.job := read;
      own.client := i;
    elsif own.exclusive then
      assert !own.copies[i] "the holder of an exclusive copy does not ask for one";
      downgrade(c);
      own.job := down;
      own.client := i;
    elsif own.state = l2_S | exists j: cache do j != i & own.copies[j] end then
      grant(c, i, data_s);
    else
      grant(c, i, data_e);
    end;
  end;

  rule "L2: serves a writer" own.job = idle & call.kind = get_m ==>
  begin
    call.kind := no_call;
    own.client := i;
    if own.state = l2_I | own.state = l2_S then
      outer_call(c, get_m);
      own.job := write;
    else
      take_others(c, i);
      own.job := clear_l1;
    end;
  end;

  rule "L2: takes a block back" own.job = idle & (call.kind = put_e | call.kind = put_m) ==>
  begin
    if own.exclusive & own.copies[i] then -- otherwise it is late (race 4)
      if call.kind = put_m then
        own.state := l2_M;
        own.data := call.data;
      end;
      own.copies[i] := false;
      own.exclusive := false;
    end;
    call.kind := put_ack;
    call.data := 0;
  end;

  rule "L2: receives the answer to a probe"
    probe.kind = inv_ack | probe.kind = clean_ack | probe.kind = data_ack ==>
  begin
    if probe.kind = data_ack then
      own.state := l2_M;
      own.data := probe.data;
    end;
    own.copies[i] := own.job = down | own.job = out_s;
    own.exclusive := false;
    probe.kind := no_probe;
    probe.data := 0;
  end;

end; -- alias
end; -- ruleset i

alias own: l2s[c]; call: outer_calls[c]; probe: outer_probes[c] do

  rule "L2: the exclusive copy has become shared" own.job = down & !own.exclusive ==>
  begin
    grant(c, own.client, data_s);
    finish(c);
  end;

  rule "L2: the other copies are gone"
    own.job = clear_l1 & forall i: cache do own.copies[i] -> i = own.client end ==>
  begin
    own.state := l2_M;
    grant(c, own.client, data_m);
    finish(c);
  end;

-- L2: ITS OWN CALLS

  rule "L2: begins to give the block up" own.job = idle & own.state != l2_I ==>
  begin
    take_all(c);
    own.job := evict;
  end;

  rule "L2: gives the block up" own.job = evict & !has_copies(c) ==>
  begin
    if own.state = l2_S then
      lose(c);
      own.job := idle;
    else
      outer_call(c, (own.state = l2_E ? put_e : put_m));
      own.job := put_back;
    end;
  end;

  rule "L2: its put is acknowledged" call.kind = put_ack ==>
  begin
    assert own.job = put_back | own.job = gone "has sent a put";
    lose(c);
    own.job := idle;
    call.kind := no_call;
  end;

  rule "L2: receives data" call.kind = data_s | call.kind = data_e | call.kind = data_m ==>
  begin
    own.data := call.data;
    if call.kind = data_m then
      assert own.job = write "waits for a copy to write";
      own.state := l2_M;
      take_others(c, own.client);
      own.job := clear_l1;
    else
      assert own.job = read "waits for a copy to read";
      own.state := (call.kind = data_s ? l2_S : l2_E);
      grant(c, own.client, call.kind);
      finish(c);
    end;
    call.kind := no_call;
    call.data := 0;
    done[c] := true;
  end;

-- L2: PROBES OF HOME

  rule "L2: is asked to drop a shared copy" probe.kind = inv &
    (own.state = l2_I | own.state = l2_S & (own.job = idle | own.job = write & BROKEN != 4)) ==>
  begin
    if own.state = l2_I then -- dropped before
      probe.kind := inv_ack;
    else
      take_all(c);
      own.job := (own.job = idle ? out_inv : write_inv);
      if BROKEN = 3 then probe.kind := inv_ack end;
    end;
  end;

  rule "L2: drops a shared copy" (own.job = out_inv | own.job = write_inv) & !has_copies(c) ==>
  begin
    lose(c);
    own.job := (own.job = out_inv ? idle : write);
    if BROKEN != 3 then probe.kind := inv_ack end;
  end;

  rule "L2: is asked for an exclusive copy" own.job = idle & (probe.kind = fetch_s | probe.kind = fetch_m) ==>
  begin
    if probe.kind = fetch_s then
      downgrade(c);
      own.job := out_s;
    else
      take_all(c);
      own.job := out_m;
    end;
  end;

  rule "L2: shares its exclusive copy" own.job = out_s & !own.exclusive ==>
  begin
    answer_fetch(c);
    own.state := l2_S;
    own.job := idle;
  end;

  rule "L2: passes its exclusive copy on" own.job = out_m & !has_copies(c) ==>
  begin
    answer_fetch(c);
    lose(c);
    own.job := idle;
  end;

  rule "L2: answers a fetch after its put" own.job = put_back & (probe.kind = fetch_s | probe.kind = fetch_m) ==>
  begin
    answer_fetch(c);
    lose(c);
    own.job := gone;
  end;

end; -- alias

-- HOME

alias call: outer_calls[c]; probe: outer_probes[c] do

  rule "home: serves a reader" home.job = h_idle & call.kind = get_s ==>
  begin
    call.kind := no_call;
    home.client := c;
    if home.exclusive then
      assert !home.copies[c] "the holder of an exclusive copy does not ask for one";
      fetch(c, fetch_s);
      home.job := h_down;
    else
      send_data(c, (exists d: cluster do d != c & home.copies[d] end ? data_s : data_e));
    end;
  end;

  rule "home: serves a writer" home.job = h_idle & call.kind = get_m ==>
  begin
    call.kind := no_call;
    home.client := c;
    if home.exclusive then
      assert !home.copies[c] "the holder of an exclusive copy does not ask for one";
      fetch(c, fetch_m);
      home.job := h_move;
    else
      for d: cluster do
        if d != c & home.copies[d] then
          assert outer_probes[d].kind = no_probe "an L2 is sent one probe at a time";
          outer_probes[d].kind := inv;
        end;
      end;
      home.job := h_inv;
    end;
  end;

  rule "home: takes a block back" home.job = h_idle & (call.kind = put_e | call.kind = put_m) ==>
  begin
    if home.exclusive & home.copies[c] then -- otherwise it is late (race 4)
      if call.kind = put_m then home.data := call.data end;
      home.copies[c] := false;
      home.exclusive := false;
    elsif BROKEN = 2 & call.kind = put_m then
      home.data := call.data;
    end;
    call.kind := put_ack;
    call.data := 0;
  end;

  rule "home: receives the answer to an invalidation" probe.kind = inv_ack ==>
  begin
    home.copies[c] := false;
    probe.kind := no_probe;
  end;

  rule "home: receives the answer to a fetch" probe.kind = clean_ack | probe.kind = data_ack ==>
  begin
    if probe.kind = data_ack then home.data := probe.data end;
    if home.job = h_down then
      home.exclusive := false;
    else
      assert home.job = h_move "an exclusive copy moves";
      home.copies[c] := false;
    end;
    home.copies[home.client] := true;
    home.job := h_done;
    probe.kind := no_probe;
    probe.data := 0;
  end;

  rule "home: ends a transaction" home.job = h_done & done[c] ==>
  begin
    assert home.client = c "the caller has received its data";
    done[c] := false;
    home.job := h_idle;
    undefine home.client;
  end;

end; -- alias
end; -- ruleset c

rule "home: the shared copies are gone"
  home.job = h_inv & forall d: cluster do home.copies[d] -> d = home.client end ==>
begin
  send_data(home.client, data_m);
end;

-- PROPERTIES

invariant "one writer"
  forall c: cluster do forall i: cache do writable(l1s[c][i].state) ->
    forall d: cluster do forall j: cache do readable(l1s[d][j].state) -> c = d & i = j end end
  end end;

invariant "a read returns the value written last"
  forall c: cluster do forall i: cache do readable(l1s[c][i].state) -> l1s[c][i].data = last end end;

invariant "inclusion: L2 holds the block and its directory lists the copy"
  forall c: cluster do forall i: cache do
    (readable(l1s[c][i].state) -> l2s[c].state != l2_I & l2s[c].copies[i]) &
    (writable(l1s[c][i].state) -> l2s[c].state != l2_S & l2s[c].exclusive)
  end end;

invariant "a cluster that may write is the only one with a copy"
  forall c: cluster do forall d: cluster do
    c != d & (l2s[c].state = l2_E | l2s[c].state = l2_M) & l2s[c].job != put_back -> l2s[d].state = l2_I | l2s[d].job = put_back
  end end;

invariant "the directory at home lists each cluster with a copy"
  forall c: cluster do
    l2s[c].state != l2_I & l2s[c].job != put_back ->
      home.copies[c] | (!isundefined(home.client) & home.client = c)
  end;

invariant "an L2 without an exclusive copy below is up to date"
  forall c: cluster do l2s[c].state != l2_I & l2s[c].job != put_back & !l2s[c].exclusive -> l2s[c].data = last end;

invariant "memory without an exclusive copy is up to date"
  !home.exclusive & (home.job = h_idle | home.job = h_inv) -> home.data = last;
