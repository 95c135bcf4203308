#include "sim/trace/svg_trace.hpp"

#include "sim/trace/picture/svg_picture.hpp"

namespace layerpipe::trace {

SvgTrace::SvgTrace(std::ostream& stream, const TraceSubject& subject)
    : stream_(stream), provenance_(subject.provenance), recorder_(subject) {}

void SvgTrace::finish(const metrics::Result& result, const TraceSpan& span) {
  recorder_.finish(result, span);
  write_svg(stream_, {&recorder_.chart(), 1}, provenance_);
}

}  // namespace layerpipe::trace
