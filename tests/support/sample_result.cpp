#include "tests/support/sample_result.hpp"

namespace layerpipe::tests {

metrics::Result sample_result() {
  metrics::Result result;
  result.platform = "lab";
  result.workload = "net";
  result.schedule = "layerpipe";
  result.options = {
      {"array", "32x32"}, {"clock_hertz", 1e9}, {"alpha", 1.001}, {"max_lent_bytes", nullptr}};
  result.batch = 4;
  result.iterations = 8;
  result.iterations_requested = 8;
  result.processors_given = 3;
  result.processors_used = 2;
  result.engine = {"3.32.0", {"network/model:CM02"}};
  result.steady_state = {true, 100.0, 1e-7, 2,       3,
                         4e7,  0,     0.0,  "exact", metrics::Latency{250.0, 240, 260}};
  result.makespan_cycles = 1000;
  result.bounds = {90, 150, 45.5};
  result.processors = {
      {"p0",
       {"a", "b", "c"},
       720,
       90,
       0.9,
       {0, 80, 0, 0, 0, 150, 0, 50},
       {400, 3000, 1000, 0, 4100}},
      {"p1", {"d"}, 480, 60, 0.6, {100, 200, 20, 0, 0, 100, 0, 100}, {100, 500, 600, 50, 1200}},
      {"p2", {}, 0, 0, 0.0, {0, 0, 0, 0, 0, 0, 0, 1000}, {}},
  };
  result.communication_per_minibatch = {4000, 200, 1500};
  result.channels = {{"p0", "p1", 3000, 0.25}, {"p1", "p0", 2700, 0.5}};
  result.links = {{"up", 3000, 0.125}, {"down", 2700, 0.4}, {"spare", 0, 0.0}};
  result.layers = {{"a", 3, 3, 2}, {"b", 3, 2, 2}, {"c", 3, 3, 2}, {"d", 1, 1, 0}};
  return result;
}

}  // namespace layerpipe::tests
