#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "sim/trace/trace_writer.hpp"

namespace layerpipe::trace {

/// Comma-separated values (docs/formats/trace-csv.md): a row for each operation, stall and
/// transfer, and for each link and minibatch.
class CsvTrace final : public TraceWriter {
 public:
  CsvTrace(std::ostream& stream, const TraceSubject& subject);

  void operation(const OperationSlice& slice) override;
  void transfer(const TransferSlice& slice) override;
  void stall(const metrics::StallInterval& slice) override;
  void link_use(const LinkUse& use) override;
  void finish(const metrics::Result& result, const TraceSpan& span) override;

 private:
  std::ostream& stream_;
  const machine::Machine& machine_;
  std::vector<std::string> processors_;  ///< names, as fields
  std::vector<std::string> operations_;  ///< [op]: the columns that are always the same
  std::vector<std::string> transfers_;   ///< [tensor]: the same; empty for local ones
};

}  // namespace layerpipe::trace
