// Names of files and directories that last: what is made, renamed or replaced is found again after
// a power failure. Flushing a file says nothing about the directory that it is in. Thread safety:
// thread-safe.
#pragma once

#include <string>

#include "base/result.h"

namespace kauri::storage {

// Puts the names in a directory on stable storage. RETURNS: kIo, kNotFound.
Result<void> sync_directory(const std::string& path);
// Makes a directory and those above it that are missing. RETURNS: kIo, kNoSpace.
Result<void> make_directories(const std::string& path);
// Gives the file `from` the name `to`, in the place of a file that may be there; whoever looks
// finds one or the other. REQUIRES: the content of `from` is on stable storage. RETURNS: kIo,
// kNotFound.
Result<void> put_in_place(const std::string& from, const std::string& to);

}  // namespace kauri::storage
