#pragma once

#include <cstddef>

namespace layerpipe::sim {

/// Lets this process take no more than `bytes` of address space beyond what it has: what asks for
/// more gets none (std::bad_alloc). Meant for a process of its own.
void limit_further_memory(std::size_t bytes);

}  // namespace layerpipe::sim
