#pragma once

#include <chrono>
#include <cstddef>

namespace layerpipe::process {

/// Lets this process take no more than `bytes` of address space beyond what it has: what asks for
/// more gets none (std::bad_alloc). Meant for a process of its own.
void limit_further_memory(std::size_t bytes);

/// Lets this process compute no longer than `time` in all: SIGXCPU ends it. Unlike a timeout this
/// does not depend on what else the machine does.
void limit_computing_time(std::chrono::seconds time);

}  // namespace layerpipe::process
