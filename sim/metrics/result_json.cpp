#include "sim/metrics/result_json.hpp"

#include <fmt/format.h>

#include <tuple>

#include "workloads/base/error.hpp"

/// Each struct has one list of keys and members, `fields`, which serves both directions.
namespace layerpipe::metrics {
namespace {

using Json = nlohmann::ordered_json;

template <typename Struct, typename Member>
struct Field {
  const char* key;
  Member Struct::*member;
};

constexpr auto fields(const EngineInfo*) {
  return std::tuple{Field{"simgrid_version", &EngineInfo::simgrid_version},
                    Field{"settings", &EngineInfo::settings}};
}

constexpr auto fields(const Latency*) {
  return std::tuple{Field{"mean_cycles", &Latency::mean_cycles},
                    Field{"least_cycles", &Latency::least_cycles},
                    Field{"most_cycles", &Latency::most_cycles}};
}

constexpr auto fields(const LatencyGrowth*) {
  return std::tuple{Field{"from_cycles", &LatencyGrowth::from_cycles},
                    Field{"to_cycles", &LatencyGrowth::to_cycles}};
}

constexpr auto fields(const SteadyState*) {
  return std::tuple{Field{"exact", &SteadyState::exact},
                    Field{"period_cycles", &SteadyState::period_cycles},
                    Field{"period_seconds", &SteadyState::period_seconds},
                    Field{"minibatches_per_period", &SteadyState::minibatches_per_period},
                    Field{"first_minibatch", &SteadyState::first_minibatch},
                    Field{"samples_per_second", &SteadyState::samples_per_second},
                    Field{"mean_over_minibatches", &SteadyState::mean_over_minibatches},
                    Field{"relative_error_bound", &SteadyState::relative_error_bound},
                    Field{"outcome", &SteadyState::outcome},
                    Field{"latency", &SteadyState::latency},
                    Field{"latency_growth", &SteadyState::latency_growth}};
}

constexpr auto fields(const Bounds*) {
  return std::tuple{Field{"slowest_processor_cycles", &Bounds::slowest_processor_cycles},
                    Field{"one_processor_cycles", &Bounds::one_processor_cycles},
                    Field{"communication_cycles", &Bounds::communication_cycles}};
}

constexpr auto fields(const StallCycles*) {
  return std::tuple{Field{"fill", &StallCycles::fill},
                    Field{"activation", &StallCycles::activation},
                    Field{"gradient", &StallCycles::gradient},
                    Field{"weights", &StallCycles::weights},
                    Field{"weight_version", &StallCycles::weight_version},
                    Field{"channel", &StallCycles::channel},
                    Field{"sharing", &StallCycles::sharing},
                    Field{"drain", &StallCycles::drain}};
}

constexpr auto fields(const MemoryBytes*) {
  return std::tuple{Field{"weights", &MemoryBytes::weights},
                    Field{"activations", &MemoryBytes::activations},
                    Field{"gradients", &MemoryBytes::gradients},
                    Field{"queued", &MemoryBytes::queued}, Field{"total", &MemoryBytes::total}};
}

constexpr auto fields(const PeakMicroBatches*) {
  return std::tuple{Field{"until_input_gradient", &PeakMicroBatches::until_input_gradient},
                    Field{"until_weight_gradient", &PeakMicroBatches::until_weight_gradient}};
}

constexpr auto fields(const ProcessorResult*) {
  return std::tuple{Field{"name", &ProcessorResult::name},
                    Field{"layers", &ProcessorResult::layers},
                    Field{"busy_cycles", &ProcessorResult::busy_cycles},
                    Field{"busy_cycles_per_minibatch", &ProcessorResult::busy_cycles_per_minibatch},
                    Field{"utilization", &ProcessorResult::utilization},
                    Field{"stall_cycles", &ProcessorResult::stall_cycles},
                    Field{"peak_memory_bytes", &ProcessorResult::peak_memory_bytes},
                    Field{"peak_micro_batches", &ProcessorResult::peak_micro_batches}};
}

constexpr auto fields(const Communication*) {
  return std::tuple{
      Field{"mandatory_bytes", &Communication::mandatory_bytes},
      Field{"additional_weights_bytes", &Communication::additional_weights_bytes},
      Field{"additional_gradients_bytes", &Communication::additional_gradients_bytes}};
}

constexpr auto fields(const ChannelResult*) {
  return std::tuple{Field{"from", &ChannelResult::from}, Field{"to", &ChannelResult::to},
                    Field{"bytes_per_minibatch", &ChannelResult::bytes_per_minibatch},
                    Field{"busy_fraction", &ChannelResult::busy_fraction}};
}

constexpr auto fields(const LinkResult*) {
  return std::tuple{Field{"name", &LinkResult::name},
                    Field{"bytes_per_minibatch", &LinkResult::bytes_per_minibatch},
                    Field{"busy_fraction", &LinkResult::busy_fraction},
                    Field{"bytes_per_second", &LinkResult::bytes_per_second},
                    Field{"latency_seconds", &LinkResult::latency_seconds}};
}

constexpr auto fields(const LayerResult*) {
  return std::tuple{Field{"name", &LayerResult::name},
                    Field{"weight_versions", &LayerResult::weight_versions},
                    Field{"activation_versions", &LayerResult::activation_versions},
                    Field{"staleness", &LayerResult::staleness},
                    Field{"lent_weight_versions", &LayerResult::lent_weight_versions},
                    Field{"queued", &LayerResult::queued},
                    Field{"pending_updates", &LayerResult::pending_updates}};
}

constexpr auto fields(const Result*) {
  return std::tuple{Field{"platform", &Result::platform},
                    Field{"workload", &Result::workload},
                    Field{"schedule", &Result::schedule},
                    Field{"options", &Result::options},
                    Field{"batch", &Result::batch},
                    Field{"micro_batches", &Result::micro_batches},
                    Field{"iterations", &Result::iterations},
                    Field{"iterations_requested", &Result::iterations_requested},
                    Field{"processors_given", &Result::processors_given},
                    Field{"processors_used", &Result::processors_used},
                    Field{"engine", &Result::engine},
                    Field{"steady_state", &Result::steady_state},
                    Field{"makespan_cycles", &Result::makespan_cycles},
                    Field{"bounds", &Result::bounds},
                    Field{"processors", &Result::processors},
                    Field{"communication_per_minibatch", &Result::communication_per_minibatch},
                    Field{"channels", &Result::channels},
                    Field{"links", &Result::links},
                    Field{"layers", &Result::layers}};
}

template <typename T>
concept Described = requires(const T* value) {
  fields(value);
};

template <typename T>
concept Optional = requires(const T value) {
  value.has_value();
};

template <typename T>
concept ListOfDescribed = Described<typename T::value_type>;

template <typename T>
Json encode(const T& value) {
  if constexpr (Described<T>) {
    Json json = Json::object();
    std::apply(
        [&](const auto&... field) { ((json[field.key] = encode(value.*field.member)), ...); },
        fields(&value));
    return json;
  } else if constexpr (Optional<T>) {
    return value ? encode(*value) : Json(nullptr);
  } else if constexpr (ListOfDescribed<T>) {
    Json json = Json::array();
    for (const auto& item : value) json.push_back(encode(item));
    return json;
  } else {
    return value;
  }
}

template <typename T>
void decode(const Json& json, T& value) {
  if constexpr (Described<T>) {
    std::apply(
        [&](const auto&... field) { (decode(json.at(field.key), value.*field.member), ...); },
        fields(&value));
  } else if constexpr (Optional<T>) {
    value.reset();
    if (!json.is_null()) decode(json, value.emplace());
  } else if constexpr (ListOfDescribed<T>) {
    for (const Json& item : json) decode(item, value.emplace_back());
  } else {
    value = json.get<T>();
  }
}

}  // namespace

Json to_json(const Result& result) { return encode(result); }

Json to_json(const Communication& communication) { return encode(communication); }

Result result_from_json(const Json& json) {
  Result result;
  try {
    decode(json, result);
  } catch (const Json::exception& error) {
    throw InternalError(fmt::format("not the JSON form of a result: {}", error.what()));
  }
  return result;
}

}  // namespace layerpipe::metrics
