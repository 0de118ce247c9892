/* Maps of other libraries under the queries of src/bench/queries/queries.h, which floe bench uses for its own: Boost's
   unordered_map, one for each 64th of the keys, so that no thread waits; TBB's concurrent_hash_map; libcuckoo.
   Prints a line of CSV for each measurement, with the column names of floe bench --csv.
   bench/tables/working_set.sh builds and runs it.

       rivals [--map=LIST] [--pairs=N] [--queries=N] [--threads=LIST] [--hot=LIST] [--updates=LIST] [--repetitions=N]
   [--seed=N]

   Every thread has the queries of its own keys, in the order of the stream, so each answer is known in advance and
   is verified. The distribution to threads is computed before the clock starts, and no map waits for a batch. */
#include "bench/queries/misses.h"
#include "bench/queries/queries.h"

#include <boost/unordered_map.hpp>
#include <libcuckoo/cuckoohash_map.hh>
#include <tbb/concurrent_hash_map.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>

namespace {

/* ---- the maps -------------------------------------------------------------------------------- */

/* Keys are random already, so the identity is a free hash function. */
struct AsItIs {
  size_t operator()(uint64_t key) const { return key; }
};
struct AsItIsForTbb {
  size_t hash(uint64_t key) const { return key; }
  bool equal(uint64_t a, uint64_t b) const { return a == b; }
};

constexpr double kLoad = 0.9;
constexpr unsigned kParts = 64; /* most threads; each part of the keys belongs to one thread */
unsigned part_of(uint64_t key) { return static_cast<unsigned>(key >> 58); }

/* A map for each part: serial with one thread; with more threads no thread waits for another. */
class BoostMap {
public:
  static constexpr const char *kName = "boost";
  explicit BoostMap(uint64_t pairs) : parts_(kParts) {
    for (auto &part : parts_) {
      part.max_load_factor(static_cast<float>(kLoad));
      part.reserve(pairs / kParts);
    }
  }
  bool find(uint64_t key, uint64_t &value) const {
    const Part &part = parts_[part_of(key)];
    const auto at = part.find(key);
    if (at == part.end())
      return false;
    value = at->second;
    return true;
  }
  bool put(uint64_t key, uint64_t value) { return parts_[part_of(key)].insert_or_assign(key, value).second; }
  bool remove(uint64_t key) { return parts_[part_of(key)].erase(key) > 0; }

private:
  using Part = boost::unordered_map<uint64_t, uint64_t, AsItIs>;
  std::vector<Part> parts_;
};

class TbbMap {
public:
  static constexpr const char *kName = "tbb";
  explicit TbbMap(uint64_t pairs) : map_(static_cast<size_t>(static_cast<double>(pairs) / kLoad)) {}
  bool find(uint64_t key, uint64_t &value) const {
    Map::const_accessor at;
    if (!map_.find(at, key))
      return false;
    value = at->second;
    return true;
  }
  bool put(uint64_t key, uint64_t value) {
    Map::accessor at;
    const bool fresh = map_.insert(at, key);
    at->second = value;
    return fresh;
  }
  bool remove(uint64_t key) { return map_.erase(key); }

private:
  using Map = tbb::concurrent_hash_map<uint64_t, uint64_t, AsItIsForTbb>;
  Map map_;
};

class CuckooMap {
public:
  static constexpr const char *kName = "libcuckoo";
  explicit CuckooMap(uint64_t pairs) : map_(pairs) {}
  bool find(uint64_t key, uint64_t &value) const { return map_.find(key, value); }
  bool put(uint64_t key, uint64_t value) { return map_.insert_or_assign(key, value); }
  bool remove(uint64_t key) { return map_.erase(key); }

private:
  libcuckoo::cuckoohash_map<uint64_t, uint64_t, AsItIs> map_;
};

/* ---- threads --------------------------------------------------------------------------------- */

std::vector<int> processors() {
  cpu_set_t set;
  std::vector<int> out;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
      if (CPU_ISSET(cpu, &set))
        out.push_back(cpu);
  return out;
}

void bind(const std::vector<int> &cpus, unsigned thread) {
  if (cpus.empty())
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpus[thread % cpus.size()], &set);
  sched_setaffinity(0, sizeof set, &set);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/* Runs work(thread) in so many threads, each bound to a processor, that start together. Seconds from the first start
   to the last end. */
double together(unsigned threads, const std::function<void(unsigned)> &work) {
  static const std::vector<int> cpus = processors();
  std::atomic<unsigned> ready{0};
  std::vector<std::thread> crew;
  std::vector<double> start(threads), end(threads);
  for (unsigned t = 0; t < threads; t++)
    crew.emplace_back([&, t] {
      bind(cpus, t);
      ready++;
      while (ready < threads)
        std::this_thread::yield();
      start[t] = now();
      work(t);
      end[t] = now();
    });
  for (auto &one : crew)
    one.join();
  return *std::max_element(end.begin(), end.end()) - *std::min_element(start.begin(), start.end());
}

/* ---- the queries ----------------------------------------------------------------------------- */

struct Queries {
  std::vector<uint64_t> numbers, keys, values;
  std::vector<uint8_t> kinds;
  void resize(size_t n) {
    numbers.resize(n);
    keys.resize(n);
    values.resize(n);
    kinds.resize(n);
  }
  query_list list(size_t at = 0) { return {&numbers[at], &keys[at], &values[at], &kinds[at]}; }
  void take(const Queries &from, size_t i) {
    numbers.push_back(from.numbers[i]);
    keys.push_back(from.keys[i]);
    values.push_back(from.values[i]);
    kinds.push_back(from.kinds[i]);
  }
  void clear() {
    numbers.clear();
    keys.clear();
    values.clear();
    kinds.clear();
  }
};

/* Queries and answers of one thread. */
struct Share {
  Queries queries;
  std::vector<uint8_t> answers;
  std::vector<uint64_t> found; /* values of finds */
  query_counts counts;
};

struct Settings {
  uint64_t pairs = 60397977, queries = 10000000, seed = 1; /* pairs: 0.9 * 2^26 */
  unsigned repetitions = 5, most_threads = 1;
  std::vector<std::string> maps{"boost", "tbb", "libcuckoo"};
  std::vector<double> threads{1}, hot{1, 0.2}, updates{0.2, 0.8};
};

/* The measured code; bench/tables/working_set.sh runs callgrind on it. */
template <class Map> __attribute__((noinline)) void timed_queries(Map &map, Share &share) {
  const size_t n = share.answers.size();
  const uint64_t *keys = share.queries.keys.data(), *values = share.queries.values.data();
  const uint8_t *kinds = share.queries.kinds.data();
  for (size_t i = 0; i < n; i++)
    switch (kinds[i]) {
    case QUERY_FIND:
      share.answers[i] = map.find(keys[i], share.found[i]) ? QUERY_FOUND : QUERY_NONE;
      break;
    case QUERY_PUT:
      share.answers[i] = map.put(keys[i], values[i]) ? QUERY_NEW : QUERY_FOUND;
      break;
    default:
      share.answers[i] = map.remove(keys[i]) ? QUERY_FOUND : QUERY_NONE;
    }
}

template <class Map> class Bench {
public:
  Bench(const Settings &settings, int counter)
      : settings_(settings), counter_(counter), map_(new Map(settings.pairs)), present_(settings.pairs) {
    const unsigned threads = settings.most_threads;
    fill_seconds_ = together(threads, [&](unsigned t) {
      for (uint64_t number = 0; number < settings.pairs; number++) {
        const uint64_t key = query_key(number);
        if (part_of(key) % threads == t)
          map_->put(key, query_value(number, 0));
      }
    });
    std::fprintf(stderr, "%s: %.1f s to fill\n", Map::kName, fill_seconds_);
  }

  /* Warms up with as many queries as the most threads get, then measures. False: there was a wrong answer. */
  bool measure(double hot, double updates, unsigned threads) {
    queries q;
    if (!queries_init(settings_.pairs, hot, updates, settings_.seed, &q))
      return std::fprintf(stderr, "rivals: there are no such queries\n"), false;
    const uint64_t slice = slice_of(threads);
    std::vector<double> rates;
    query_counts last{};
    double misses = 0;
    wrong_ = 0;
    make(q, 0, slice_of(settings_.most_threads));
    run(settings_.most_threads);
    uint64_t at = slice_of(settings_.most_threads);
    for (unsigned r = 0; r < settings_.repetitions; r++, at += slice) {
      make(q, at, slice);
      const double seconds = run(threads);
      rates.push_back(static_cast<double>(slice) / seconds);
      last = counts_;
      misses += misses_ < 0 ? -1e30 : misses_ / static_cast<double>(slice * settings_.repetitions);
    }
    restore(q, at);
    print(hot, updates, threads, slice, rates, last, misses);
    return wrong_ == 0;
  }

private:
  /* Each thread has the same number of queries, whatever the number of threads. */
  uint64_t slice_of(unsigned threads) const {
    return (settings_.queries * threads / settings_.most_threads + QUERY_BLOCK - 1) / QUERY_BLOCK * QUERY_BLOCK;
  }

  void make(const queries &q, uint64_t first, uint64_t n) {
    const unsigned threads = settings_.most_threads;
    stream_.resize(n);
    together(threads, [&](unsigned t) {
      const uint64_t blocks = n / QUERY_BLOCK;
      const uint64_t from = blocks * t / threads * QUERY_BLOCK, to = blocks * (t + 1) / threads * QUERY_BLOCK;
      const query_list list = stream_.list(from);
      if (from < to)
        queries_make(&q, first + from, to - from, &list);
    });
  }

  void restore(const queries &q, uint64_t end) {
    if (queries_unpaired(&q) == 0)
      return;
    stream_.resize(queries_unpaired(&q));
    const query_list list = stream_.list();
    queries_make_unpaired(&q, end, &list);
    run(settings_.most_threads);
  }

  void deal_out(unsigned threads) {
    shares_.resize(threads);
    together(threads, [&](unsigned t) {
      Share &share = shares_[t];
      share.queries.clear();
      for (size_t i = 0; i < stream_.keys.size(); i++)
        if (part_of(stream_.keys[i]) % threads == t)
          share.queries.take(stream_, i);
      share.answers.assign(share.queries.keys.size(), 99);
      share.found.assign(share.queries.keys.size(), 0);
    });
  }

  void verify(unsigned threads) {
    together(threads, [&](unsigned t) {
      Share &share = shares_[t];
      const query_list list = share.queries.list();
      share.counts = query_counts{};
      const query_answers answers = {share.answers.data(), share.found.data(), share.answers.size()};
      queries_verify(&list, &answers, present_.data(), 0, 1, &share.counts);
    });
    counts_ = query_counts{};
    for (const Share &share : shares_) {
      counts_.found += share.counts.found;
      counts_.fresh += share.counts.fresh;
      counts_.deleted += share.counts.deleted;
      wrong_ += share.counts.wrong;
    }
  }

  /* Runs the stream's queries, measures and verifies them. */
  double run(unsigned threads) {
    deal_out(threads);
    const int64_t before = misses_read(counter_);
    const double seconds = together(threads, [&](unsigned t) { timed_queries(*map_, shares_[t]); });
    const int64_t after = misses_read(counter_);
    misses_ = after < 0 ? -1 : static_cast<double>(after - before);
    verify(threads);
    return seconds;
  }

  void print(double hot, double updates, unsigned threads, uint64_t slice, std::vector<double> rates,
             const query_counts &last, double misses) const {
    std::sort(rates.begin(), rates.end());
    const size_t n = rates.size();
    std::printf("%s,-,%s,%u,%llu,0,0,%g,%g,%llu,%llu,%llu,%llu,%zu,%.9g,%.9g,%.9g,%.6g\n", Map::kName,
                wrong_ ? "wrong" : "measured", threads, static_cast<unsigned long long>(settings_.pairs), hot, updates,
                static_cast<unsigned long long>(slice), static_cast<unsigned long long>(last.found),
                static_cast<unsigned long long>(last.fresh), static_cast<unsigned long long>(last.deleted), n,
                (rates[(n - 1) / 2] + rates[n / 2]) / 2, rates.front(), rates.back(), misses < 0 ? -1 : misses);
    std::fflush(stdout);
  }

  const Settings &settings_;
  int counter_;
  std::unique_ptr<Map> map_;
  std::vector<uint8_t> present_;
  double fill_seconds_ = 0, misses_ = -1;
  Queries stream_;
  std::vector<Share> shares_;
  query_counts counts_{};
  uint64_t wrong_ = 0;
};

/* ---- the command ----------------------------------------------------------------------------- */

template <class Map> bool measure_all(const Settings &settings, int counter) {
  if (std::find(settings.maps.begin(), settings.maps.end(), Map::kName) == settings.maps.end())
    return true;
  bool right = true;
  Bench<Map> bench(settings, counter);
  for (double threads : settings.threads)
    for (double hot : settings.hot)
      for (double updates : settings.updates)
        right = bench.measure(hot, updates, static_cast<unsigned>(threads)) && right;
  return right;
}

std::vector<std::string> words(const char *text) {
  std::vector<std::string> out(1);
  for (; *text; text++)
    if (*text == ',')
      out.emplace_back();
    else
      out.back() += *text;
  return out;
}

std::vector<double> numbers(const char *text) {
  std::vector<double> out;
  for (const std::string &word : words(text))
    out.push_back(std::strtod(word.c_str(), nullptr));
  return out;
}

bool take(const char *name, const char *value, Settings &settings) {
  const auto is = [&](const char *option) { return std::strcmp(name, option) == 0; };
  if (is("map"))
    settings.maps = words(value);
  else if (is("pairs"))
    settings.pairs = std::strtoull(value, nullptr, 10);
  else if (is("queries"))
    settings.queries = std::strtoull(value, nullptr, 10);
  else if (is("threads"))
    settings.threads = numbers(value);
  else if (is("hot"))
    settings.hot = numbers(value);
  else if (is("updates"))
    settings.updates = numbers(value);
  else if (is("repetitions"))
    settings.repetitions = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
  else if (is("seed"))
    settings.seed = std::strtoull(value, nullptr, 10);
  else
    return false;
  return true;
}

bool read_options(int argc, char **argv, Settings &settings) {
  for (int i = 1; i < argc; i++) {
    const std::string text = argv[i];
    const size_t at = text.find('=');
    if (text.compare(0, 2, "--") != 0 || at == std::string::npos ||
        !take(text.substr(2, at - 2).c_str(), text.c_str() + at + 1, settings))
      return std::fprintf(stderr, "rivals: what is %s?\n", argv[i]), false;
  }
  for (double threads : settings.threads)
    if (!(threads >= 1 && threads <= kParts))
      return std::fprintf(stderr, "rivals: 1 to %u threads\n", kParts), false;
  settings.most_threads = static_cast<unsigned>(*std::max_element(settings.threads.begin(), settings.threads.end()));
  return settings.pairs > 0 && settings.repetitions > 0;
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  const int counter = misses_open();
  if (!read_options(argc, argv, settings))
    return 2;
  std::printf("table,variant,verdict,threads,pairs,recent,batch,hot,updates,queries,found,put,deleted,repetitions,rate,"
              "rate_least,rate_most,misses\n");
  bool right = measure_all<BoostMap>(settings, counter);
  right = measure_all<TbbMap>(settings, counter) && right;
  right = measure_all<CuckooMap>(settings, counter) && right;
  misses_close(counter);
  return right ? 0 : 4;
}
