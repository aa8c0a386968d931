#include "backend/import_orphans.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "base/endian.h"
#include "ldap/dn.h"

namespace kauri::backend {
namespace {

Error file_error(const std::string& what, const std::string& directory) {
  const int number = errno;
  return {number == ENOSPC ? ErrorCode::kNoSpace : ErrorCode::kIo,
          "cannot " + what + " a temporary file in " + directory +
              " for entries that came before their parents: " + std::strerror(number)};
}

// A list is its length and its members; a text is its length and its octets.
void append_count(std::string& out, std::size_t count) {
  append_little_endian(out, static_cast<std::uint64_t>(count));
}
void append_text(std::string& out, std::string_view text) {
  append_count(out, text.size());
  out += text;
}
void append_texts(std::string& out, const std::vector<std::string>& texts) {
  append_count(out, texts.size());
  for (const std::string& text : texts) append_text(out, text);
}

// Reads what the functions above wrote; what the file does not hold any more makes it fail for
// good.
class Reader {
 public:
  explicit Reader(std::string_view octets) : octets_(octets) {}

  bool good() const { return good_; }
  bool at_end() const { return octets_.empty(); }
  // At most one for each octet that is left, as everything counted has at least that many.
  std::size_t count() {
    if (!good_ || octets_.size() < sizeof(std::uint64_t)) return fail();
    const auto count = load_little_endian<std::uint64_t>(octets_);
    octets_.remove_prefix(sizeof(std::uint64_t));
    return count <= octets_.size() ? static_cast<std::size_t>(count) : fail();
  }
  std::string_view text() {
    const std::size_t size = count();
    const std::string_view out = octets_.substr(0, size);
    octets_.remove_prefix(size);
    return out;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> out;
    for (std::size_t left = count(); left > 0 && good_; --left) out.emplace_back(text());
    return out;
  }

 private:
  std::size_t fail() {
    good_ = false;
    return 0;
  }

  std::string_view octets_;
  bool good_ = true;
};

}  // namespace

OrphanStore::OrphanStore(std::shared_ptr<const schema::Schema> schema, std::string directory,
                         std::size_t memory_bytes_max)
    : schema_(std::move(schema)),
      directory_(std::move(directory)),
      memory_bytes_max_(memory_bytes_max) {}

OrphanStore::~OrphanStore() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> OrphanStore::add(const PreparedRecord& record, const std::vector<std::string>& keys) {
  const std::size_t start = octets_.size();
  append_text(octets_, record.dn);
  append_text(octets_, record.csn);
  append_text(octets_, record.entry.rdn);
  append_texts(octets_, record.normal_rdns);
  append_count(octets_, record.entry.attributes.size());
  for (const entry::Attribute& attribute : record.entry.attributes) {
    append_text(octets_, attribute.description.to_string());
    append_texts(octets_, attribute.values);
  }
  append_texts(octets_, keys);
  places_.push_back({record.file, record.line, spilled_ + start, octets_.size() - start,
                     record.normal_rdns.size()});
  return octets_.size() < memory_bytes_max_ ? Result<void>() : spill();
}

Result<void> OrphanStore::spill() {
  if (fd_ < 0) fd_ = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0) return file_error("make", directory_);
  for (std::size_t done = 0; done < octets_.size();) {
    const ssize_t written = ::pwrite(fd_, octets_.data() + done, octets_.size() - done,
                                     static_cast<off_t>(spilled_ + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error("write", directory_);
    done += static_cast<std::size_t>(written);
  }
  spilled_ += octets_.size();
  octets_.clear();
  return {};
}

Result<void> OrphanStore::read(const Place& place, std::string* out) const {
  if (place.offset >= spilled_) {
    out->assign(octets_, place.offset - spilled_, place.size);
    return {};
  }
  out->resize(place.size);
  for (std::size_t done = 0; done < out->size();) {
    const ssize_t got = ::pread(fd_, out->data() + done, out->size() - done,
                                static_cast<off_t>(place.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("read", directory_);
    if (got == 0) return damaged();
    done += static_cast<std::size_t>(got);
  }
  return {};
}

Error OrphanStore::damaged() const {
  return {ErrorCode::kIo, "a temporary file in " + directory_ +
                              " does not hold any more what was written to it; the disk is at "
                              "fault"};
}

Result<void> OrphanStore::decode(const Place& place, std::string_view octets,
                                 PreparedRecord* record, std::vector<std::string>* keys) const {
  Reader reader(octets);
  *record = PreparedRecord();
  record->file = place.file;
  record->line = place.line;
  record->dn = reader.text();
  record->csn = reader.text();
  record->entry.rdn = reader.text();
  record->normal_rdns = reader.texts();
  for (std::size_t left = reader.count(); left > 0; --left) {
    auto description = schema_->attribute_description(reader.text());
    std::vector<std::string> values = reader.texts();
    if (!description || !reader.good()) return damaged();
    record->entry.attributes.push_back({std::move(*description), std::move(values)});
  }
  *keys = reader.texts();
  Result<ldap::Dn> name = ldap::parse_dn(record->dn);
  if (!name || name->rdns.size() != place.depth || record->normal_rdns.size() != place.depth ||
      !reader.good() || !reader.at_end()) {
    return damaged();
  }
  record->name = std::move(*name);
  return {};
}

Result<void> OrphanStore::drain(const Visit& visit) {
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
    return std::tie(a.depth, a.offset) < std::tie(b.depth, b.offset);
  });
  std::string octets;
  PreparedRecord record;
  std::vector<std::string> keys;
  for (const Place& place : places_) {
    KAURI_CHECK(read(place, &octets));
    KAURI_CHECK(decode(place, octets, &record, &keys));
    KAURI_CHECK(visit(record, keys));
  }
  places_.clear();
  octets_.clear();
  spilled_ = 0;
  return {};
}

}  // namespace kauri::backend
