// OrphanStore: imported entries that came before their parents, kept until the files are read.
// Inside backend/ only.
//
// An entry is kept in a form of its own with its index keys, so that nothing is checked or hashed
// twice. Past a bound the octets go to an unnamed file; in memory stay some fifty octets for each.
// Thread safety: thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/import_record.h"
#include "base/result.h"
#include "schema/schema.h"

namespace kauri::backend {

class OrphanStore {
 public:
  // The file is made in `directory`.
  OrphanStore(std::shared_ptr<const schema::Schema> schema, std::string directory,
              std::size_t memory_bytes_max);
  ~OrphanStore();
  OrphanStore(const OrphanStore&) = delete;
  OrphanStore& operator=(const OrphanStore&) = delete;

  // REQUIRES: the record is an entry, no reject; *record.file outlives the store. RETURNS: kIo,
  // kNoSpace of the file.
  Result<void> add(const PreparedRecord& record, const std::vector<std::string>& keys);
  std::size_t size() const { return places_.size(); }

  using Visit =
      std::function<Result<void>(PreparedRecord& record, const std::vector<std::string>& keys)>;
  // Gives all back, those with the shorter names first and else as they came: a parent that is
  // among them comes before its children. The store is empty then.
  Result<void> drain(const Visit& visit);

 private:
  struct Place {
    const std::string* file;
    std::uint64_t line;
    std::uint64_t offset;  // in all octets, those in the file first
    std::uint64_t size;
    std::size_t depth;  // RDNs of its name
  };

  Result<void> spill();
  Result<void> read(const Place& place, std::string* out) const;
  Result<void> decode(const Place& place, std::string_view octets, PreparedRecord* record,
                      std::vector<std::string>* keys) const;
  Error damaged() const;

  std::shared_ptr<const schema::Schema> schema_;
  std::string directory_;
  std::size_t memory_bytes_max_;
  std::vector<Place> places_;
  std::string octets_;         // behind those in the file
  std::uint64_t spilled_ = 0;  // octets in the file
  int fd_ = -1;
};

}  // namespace kauri::backend
