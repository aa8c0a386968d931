#include "storage/lmdb_error.h"

#include <lmdb.h>

#include <algorithm>
#include <cerrno>

namespace kauri::storage {
namespace {

struct Meaning {
  ErrorCode code;
  const char* hint;  // follows the text of the error
};

Meaning meaning_of(int rc) {
  switch (rc) {
    case MDB_MAP_FULL:
      return {ErrorCode::kNoSpace, "; the map size is the limit of the file"};
    case ENOSPC:
    case EDQUOT:
      return {ErrorCode::kNoSpace, "; free some disk space, reading goes on meanwhile"};
    case EFBIG:
      return {ErrorCode::kNoSpace,
              "; the file size limit of the process or file system is reached"};
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_INCOMPATIBLE:
    case MDB_VERSION_MISMATCH:
    case MDB_CURSOR_FULL:  // deeper than any tree: its pages lead in a circle
    case MDB_PAGE_FULL:    // a page has less room than it says
    case MDB_MAP_RESIZED:  // a header has pages behind the map; no other process can have made them
      return {ErrorCode::kCorruption, "; the file is damaged or foreign, restore a backup"};
    case MDB_PANIC:
      return {ErrorCode::kIo,
              "; an earlier write failed half-way, the database has to be opened again"};
    case MDB_READERS_FULL:
      return {ErrorCode::kLimit, "; more read transactions than readers_max are open"};
    case MDB_TXN_FULL:
      return {ErrorCode::kLimit, "; the transaction is too large, commit in smaller ones"};
    case MDB_BAD_VALSIZE:
      return {ErrorCode::kInvalid, "; the key or the value has a size that cannot be stored"};
    case MDB_BAD_TXN:
      return {ErrorCode::kInternal, "; an earlier call of this transaction failed"};
    case MDB_BAD_DBI:
    case MDB_BAD_RSLOT:
    case EINVAL:
      return {ErrorCode::kInternal, ""};
    default:
      return {ErrorCode::kIo, ""};
  }
}

}  // namespace

Error lmdb_error(int rc, std::string what) {
  const Meaning meaning = meaning_of(rc);
  what += ": ";
  what += mdb_strerror(rc);
  what += " (" + std::to_string(rc) + ")";
  what += meaning.hint;
  return {meaning.code, std::move(what)};
}

std::string describe(std::string_view operation, std::string_view table, std::string_view key) {
  constexpr std::size_t kShown = 48;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(operation);
  text.append(" in table ").append(table).append(", key ");
  for (const char c : key.substr(0, kShown)) {
    const auto octet = static_cast<unsigned char>(c);
    text += kDigits[octet >> 4U];
    text += kDigits[octet & 15U];
  }
  if (key.empty()) text += "(empty)";
  if (key.size() > kShown) text += "... (" + std::to_string(key.size()) + " octets)";
  return text;
}

Error system_error(int number, std::string_view what, const std::string& path) {
  const ErrorCode code = number == ENOSPC || number == EDQUOT ? ErrorCode::kNoSpace
                         : number == ENOENT                   ? ErrorCode::kNotFound
                                                              : ErrorCode::kIo;
  return {code, std::string(what) + " " + path + ": " + mdb_strerror(number)};
}

}  // namespace kauri::storage
