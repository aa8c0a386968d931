// Checks the pages of a database file without LMDB, which trusts every page that it reads: one
// wrong bit in a page sends it outside of the page, or into an assertion that ends the process.
//
// Reads the file from its header pages on, each page once, all bounds checked: header pages and
// their order, the free list, each tree's branch pages, and where asked leaf and overflow pages:
// numbers, kinds, the places of nodes, the order of keys in and between pages, and the numbers of
// pages and records that the tree claims. What this cannot tell, and what verify tells then, is in
// docs/formats/file.md. Thread safety: thread-safe. The file must not change meanwhile (the lock of
// its directory is held).
#pragma once

#include <string>

#include "base/result.h"
#include "storage/storage.h"

namespace kauri::storage {

struct PageCheckOptions {
  PageExtent extent = PageExtent::kWhole;
  TableSet tables = kAllTables;  // the trees of others are left alone
  // Whether the two header pages must be of commits that follow one another. Not so after a crash
  // of the machine with relaxed durability.
  bool adjacent_commits = true;
  // Whether a page that is neither used nor free is a fault. It harms nobody by itself, so that it
  // keeps no server from starting.
  bool orphans = true;
};

// Reads the data file at `path`. RETURNS: kNotFound, kIo; what is wrong with the pages is in the
// report.
Result<PageReport> check_pages(const std::string& path, const PageCheckOptions& options);

}  // namespace kauri::storage
