#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstddef>
#include <optional>

namespace layerpipe::process {

/// Lets this process take no more than `bytes` of address space beyond what it has: what asks for
/// more gets none (std::bad_alloc). Meant for a process of its own.
void limit_further_memory(std::size_t bytes);

/// Lets this process compute no longer than `time` in all: SIGXCPU ends it. Unlike a timeout this
/// does not depend on what else the machine does.
void limit_computing_time(std::chrono::seconds time);

/// The limit of computing time that this process has given to one that it has made, if that has
/// ended it: `signal` did, after it had computed for `used`. Since then its soft limit is `soft`;
/// it may have lowered that itself.
[[nodiscard]] std::optional<std::chrono::seconds> exceeded_computing_time(
    int signal, std::chrono::duration<double> used, std::optional<rlim_t> soft);

}  // namespace layerpipe::process
