// Dropping files from the page cache. Thread safety: thread-safe.
#pragma once

#include <string>

#include "base/result.h"

namespace kauri::storage {

// Writes back what is dirty in the file at `path` (for a directory: in its data.mdb) and asks the
// kernel to forget its cached pages. After a bulk load the cache holds the file in large folios,
// and on recent kernels each later 4 KiB write then costs CPU for a whole folio; afterwards pages
// come back one by one as they are read. Pages mapped by an open environment stay: call it when the
// environment is closed. RETURNS: kIo, kNotFound.
Result<void> drop_page_cache(const std::string& path);

}  // namespace kauri::storage
