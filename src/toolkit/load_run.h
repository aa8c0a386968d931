// run_load: one load test from connecting to the result.
//
// Starts the workers' threads, waits until all their connections are open and bound, lets them go
// together, reads the server's CPU time at both ends of the measured window, calls on_interval each
// interval, and merges what the workers found. Thread safety: thread-compatible; the callback runs
// on the calling thread.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "toolkit/load_types.h"
#include "toolkit/workload.h"

namespace kauri::toolkit {

// RETURNS: kInvalid for options that cannot work together, with the value and the limit. Asks
// nobody.
Result<void> check_load(const LoadOptions& options, const Mix& mix);

// RETURNS: what check_load() does for options that it refuses; kIo and others when a connection
// cannot be opened or bound; kNotFound when there is no server process with the given pid. Wrong
// answers are no failure of the run: they are counted in LoadResult::errors.
Result<LoadResult> run_load(const LoadOptions& options, const Mix& mix,
                            Clock& clock = Clock::system());

}  // namespace kauri::toolkit
