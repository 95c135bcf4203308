#include "sim/trace/csv_trace.hpp"

#include <fmt/ostream.h>

#include "sim/trace/labels.hpp"
#include "workloads/base/csv.hpp"

namespace layerpipe::trace {
namespace {

/// The fields of a row, with a comma behind the last.
std::string beginning(const std::vector<std::string>& fields) {
  std::string row = base::Csv(fields).text();
  row.back() = ',';
  return row;
}

}  // namespace

CsvTrace::CsvTrace(std::ostream& stream, const TraceSubject& subject)
    : stream_(stream), machine_(subject.machine) {
  const contract::Schedule& schedule = subject.schedule;
  const std::vector<std::string>& names = subject.machine.processors;
  for (const std::string& name : names) processors_.push_back(beginning({name}));
  const std::vector<OperationLabel> operations = operation_labels(schedule);
  for (std::size_t op = 0; op < operations.size(); ++op) {
    const OperationLabel& label = operations[op];
    operations_.push_back(beginning({"operation", names[schedule.ops[op].processor], "", label.text,
                                     std::string(to_string(label.kind)), label.layers,
                                     base::csv_number(label.fraction), ""}));
  }
  const std::vector<std::string> tensors = tensor_labels(schedule);
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const contract::Tensor& tensor = schedule.tensors[t];
    transfers_.push_back(
        beginning({"transfer", names[tensor.source], names[tensor.destination], tensors[t],
                   std::string(to_string(tensor.tensor_class)), schedule.layer_names[tensor.layer],
                   "", base::csv_number(tensor.bytes)}));
  }
  stream_ << "type,processor,destination,name,kind,layers,fraction,bytes,minibatch,queued_cycle,"
             "start_cycle,end_cycle\n";
}

void CsvTrace::operation(const OperationSlice& slice) {
  fmt::print(stream_, "{}{},,{},{}\n", operations_[slice.op], slice.minibatch, slice.start,
             slice.end);
}

void CsvTrace::transfer(const TransferSlice& slice) {
  fmt::print(stream_, "{}{},{},{},{}\n", transfers_[slice.tensor], slice.minibatch, slice.queued,
             slice.start, slice.end);
}

void CsvTrace::stall(const metrics::StallInterval& slice) {
  fmt::print(stream_, "stall,{},stall {},{},,,,,,{},{}\n", processors_[slice.processor],
             to_string(slice.cause), to_string(slice.cause), slice.start, slice.end);
}

void CsvTrace::link_use(const LinkUse& use) {
  fmt::print(stream_, "link,,,{}busy,,{},{},,,{},{}\n", beginning({machine_.links[use.link].name}),
             base::csv_number(busy_fraction(use, machine_)), use.bytes, use.start, use.end);
}

void CsvTrace::finish(const metrics::Result& /*result*/, const TraceSpan& /*span*/) {}

}  // namespace layerpipe::trace
