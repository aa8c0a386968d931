#include "storage/page_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "storage/lmdb_error.h"
#include "storage/page_layout.h"

namespace kauri::storage {
namespace {

using page::TreeKind;

constexpr std::size_t kFaultsShown = 100;
// Files up to this size are checked whole by PageExtent::kFit, about a third of a second.
constexpr std::uint64_t kFitOctetsMax = std::uint64_t{256} << 20U;

// The end of a descriptor's life.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

using Record = std::function<void(std::string_view key, std::string_view data)>;

struct Tree {
  std::string name;  // "table entries"
  TreeKind kind = TreeKind::kRecords;
  page::TreeRecord record;
  bool whole = false;
  Record visit;  // where given: gets each record

  bool broken = false;
  std::uint64_t branch_pages = 0;
  std::uint64_t leaf_pages = 0;
  std::uint64_t overflow_pages = 0;
  std::uint64_t entries = 0;
};

// Between which keys the keys of a page must lie: from `lower`, below `upper`.
struct Bounds {
  std::optional<std::string_view> lower;
  std::optional<std::string_view> upper;
};

class Checker {
 public:
  Checker(int fd, std::uint64_t size, const PageCheckOptions& options)
      : fd_(fd), options_(options) {
    report_.file_size = size;
  }

  PageReport run();

 private:
  void fault(const std::string& text);
  void fault(Tree& tree, std::uint64_t number, const std::string& why);

  // Reads `octets.size()` octets from the start of page `number` on. RETURNS: why it could not.
  std::string read(std::uint64_t number, std::string& octets);
  void expect_soon(std::string_view branch) const;

  bool check_headers();
  std::optional<page::Meta> read_header(std::uint64_t number);
  bool check_commits(const std::array<page::Meta, page::kMetaPages>& metas);
  bool check_size();
  void check_free_list();
  void take_free_pages(Tree& tree, std::string_view key, std::string_view data);
  void check_tables();
  void check_orphans();
  void check_tree(Tree& tree);
  std::string record_fault(const Tree& tree) const;
  void walk(Tree& tree, std::uint64_t number, unsigned level, const Bounds& bounds);
  void walk_children(Tree& tree, std::string_view branch, unsigned level, const Bounds& bounds);
  void check_leaf(Tree& tree, std::string_view leaf);
  // A node's data in pages of its own.
  void check_overflow(Tree& tree, std::string_view leaf, std::size_t index);
  void compare_counts(Tree& tree);
  // Notes that a tree uses the page. RETURNS: why it cannot.
  std::string claim(std::uint64_t number);

  const int fd_;
  const PageCheckOptions& options_;
  PageReport report_;
  std::size_t page_size_ = 0;
  page::Meta meta_;
  bool free_list_broken_ = false;
  std::vector<bool> free_;
  std::vector<bool> used_;
  std::array<std::string, page::kDepthMax + 1> levels_;  // the pages from the root down to this one
  std::string overflow_;
};

void Checker::fault(const std::string& text) {
  ++report_.fault_count;
  if (report_.faults.size() < kFaultsShown) report_.faults.push_back(text);
}

void Checker::fault(Tree& tree, std::uint64_t number, const std::string& why) {
  tree.broken = true;
  fault("page " + std::to_string(number) + " (" + tree.name + "): " + why);
}

std::string Checker::read(std::uint64_t number, std::string& octets) {
  std::size_t done = 0;
  while (done < octets.size()) {
    const auto at = static_cast<off_t>(number * page_size_ + done);
    const ssize_t count = ::pread(fd_, octets.data() + done, octets.size() - done, at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::string("it cannot be read: ") + std::strerror(errno);
    if (count == 0) return "it lies behind the end of the file";
    done += static_cast<std::size_t>(count);
  }
  ++report_.pages_read;
  return {};
}

// Leaf pages that follow one another in the file are announced with one call, so that a cold disk
// reads ahead.
void Checker::expect_soon(std::string_view branch) const {
  const std::size_t count = page::nodes_of(branch);
  std::uint64_t first = 0;
  std::uint64_t pages = 0;
  const auto announce = [&] {
    if (pages != 0)
      ::posix_fadvise(fd_, static_cast<off_t>(first * page_size_),
                      static_cast<off_t>(pages * page_size_), POSIX_FADV_WILLNEED);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t child = page::load_node(branch, page::node_offset(branch, i)).child();
    if (child > meta_.last_page) continue;
    if (pages != 0 && child == first + pages) {
      ++pages;
      continue;
    }
    announce();
    first = child;
    pages = 1;
  }
  announce();
}

// --- Header pages ---

std::optional<page::Meta> Checker::read_header(std::uint64_t number) {
  const std::string where = "page " + std::to_string(number) + " (header): ";
  std::string octets(page::kMetaSize, '\0');
  if (const std::string why = read(number, octets); !why.empty()) {
    fault(where + why);
    return std::nullopt;
  }
  const page::Meta meta = page::load_meta(octets);
  std::string why;
  if (meta.magic != page::kMagic || meta.version != page::kVersion) {
    why = "this is no file of LMDB 0.9, or its first octets were lost";
  } else if (page::number_of(octets) != number || page::flags_of(octets) != page::kMeta) {
    why = "it is not the header page that belongs here";
  } else if (const std::size_t size = meta.free_list.pad;
             size < page::kPageSizeMin || size > page::kPageSizeMax || (size & (size - 1)) != 0 ||
             (page_size_ != 0 && size != page_size_)) {
    why = "the page size " + std::to_string(size) + " cannot be";
  }
  if (why.empty()) return meta;
  fault(where + why);
  return std::nullopt;
}

bool Checker::check_commits(const std::array<page::Meta, page::kMetaPages>& metas) {
  const std::uint64_t even = metas[0].txn_id;
  const std::uint64_t odd = metas[1].txn_id;
  const bool fresh = even == 0 && odd == 0;
  const bool placed = fresh || (even % 2 == 0 && odd % 2 == 1);
  const bool adjacent = fresh || even == odd + 1 || odd == even + 1;
  if (placed && (adjacent || !options_.adjacent_commits)) return true;
  fault("pages 0 and 1 (header): they are of the commits " + std::to_string(even) + " and " +
        std::to_string(odd) + ", which do not follow one another");
  return false;
}

bool Checker::check_headers() {
  if (report_.file_size < page::kMetaPages * page::kPageSizeMin) {
    fault("the file has " + std::to_string(report_.file_size) +
          " octets, fewer than its header pages: it was cut or emptied (a database that never "
          "held anything can be removed)");
    return false;
  }
  std::array<page::Meta, page::kMetaPages> metas;
  for (std::uint64_t number = 0; number < page::kMetaPages; ++number) {
    const std::optional<page::Meta> meta = read_header(number);
    if (!meta) return false;
    page_size_ = meta->free_list.pad;
    metas[number] = *meta;
  }
  if (!check_commits(metas)) return false;
  meta_ = metas[metas[0].txn_id < metas[1].txn_id ? 1 : 0];
  // Each page beyond the end of the file has to be on the free list, 8 octets in the file.
  const std::uint64_t last_page_max =
      report_.file_size / page_size_ + report_.file_size / page::kPageNumberSize;
  if (meta_.last_page < page::kMetaPages - 1 || meta_.last_page > last_page_max) {
    fault("page " + std::to_string(meta_.txn_id % 2) + " (header): page " +
          std::to_string(meta_.last_page) + " cannot be the last one of a file of " +
          std::to_string(report_.file_size) +
          " octets: it was cut short, or the header is damaged");
    return false;
  }
  report_.size_due = (meta_.last_page + 1) * page_size_;
  return true;
}

// A file may lack pages at its end only where these are free: LMDB need not have written them.
bool Checker::check_size() {
  if (report_.file_size >= report_.size_due) return true;
  const std::uint64_t first_missing = report_.file_size / page_size_;
  bool missing = free_list_broken_;
  for (std::uint64_t i = first_missing; i <= meta_.last_page && !missing; ++i) missing = !free_[i];
  if (missing)
    fault("the file has " + std::to_string(report_.file_size) +
          " octets, but its header tells of " + std::to_string(report_.size_due) +
          ": it was cut short");
  return !missing;
}

// --- Trees ---

std::string Checker::claim(std::uint64_t number) {
  if (number < page::kMetaPages || number > meta_.last_page)
    return "there is no such page, the last one is " + std::to_string(meta_.last_page);
  if (used_[number]) return "it is used twice";
  used_[number] = true;
  if (free_[number]) return "it is used, and listed as free";
  return {};
}

std::string Checker::record_fault(const Tree& tree) const {
  const page::TreeRecord& record = tree.record;
  const std::uint16_t flags = tree.kind == TreeKind::kFreeList ? page::kIntegerKeys : 0;
  if (record.flags != flags) return "its kind cannot be " + std::to_string(record.flags);
  const bool empty = record.root == page::kNoPage;
  if (record.depth > page::kDepthMax || empty != (record.depth == 0) ||
      empty != (record.entries == 0) || empty != (record.leaf_pages == 0))
    return "a tree with " + std::to_string(record.depth) + " levels, " +
           std::to_string(record.leaf_pages) + " leaf pages and " + std::to_string(record.entries) +
           " records cannot be" + (empty ? ", since it has no root" : "");
  return {};
}

void Checker::check_tree(Tree& tree) {
  const std::string why = record_fault(tree);
  if (!why.empty()) {
    tree.broken = true;
    return fault(tree.name + ": " + why);
  }
  if (tree.record.root != page::kNoPage) walk(tree, tree.record.root, 1, {});
  // Pages that were not walked are not counted.
  if (!tree.broken) compare_counts(tree);
}

void Checker::compare_counts(Tree& tree) {
  const page::TreeRecord& record = tree.record;
  const auto compare = [&](const char* what, std::uint64_t found, std::uint64_t claimed) {
    if (found == claimed) return;
    tree.broken = true;
    fault(tree.name + ": it has " + std::to_string(found) + " " + what + ", and says " +
          std::to_string(claimed));
  };
  compare("branch pages", tree.branch_pages, record.branch_pages);
  compare("leaf pages", tree.leaf_pages, record.leaf_pages);
  if (!tree.whole) return;
  compare("overflow pages", tree.overflow_pages, record.overflow_pages);
  compare("records", tree.entries, record.entries);
}

void Checker::walk(Tree& tree, std::uint64_t number, unsigned level, const Bounds& bounds) {
  if (const std::string why = claim(number); !why.empty()) return fault(tree, number, why);
  const bool is_leaf = level == tree.record.depth;
  ++(is_leaf ? tree.leaf_pages : tree.branch_pages);
  if (is_leaf && !tree.whole && level > 1) return;
  std::string& octets = levels_[level];
  octets.resize(page_size_);
  std::string why = read(number, octets);
  if (why.empty())
    why = page::layout_fault(octets, number, is_leaf ? page::kLeaf : page::kBranch, tree.kind);
  if (!why.empty()) return fault(tree, number, why);
  const std::size_t count = page::nodes_of(octets);
  // The first key of a branch page means nothing.
  if (const std::size_t first = is_leaf ? 0 : 1; first < count) {
    const std::string_view least = page::node_key(octets, first);
    const std::string_view most = page::node_key(octets, count - 1);
    if ((bounds.lower && page::compare_keys(tree.kind, least, *bounds.lower) < 0) ||
        (bounds.upper && page::compare_keys(tree.kind, most, *bounds.upper) >= 0))
      return fault(tree, number, "its keys do not lie between those that lead to it");
  }
  if (is_leaf) return check_leaf(tree, octets);
  walk_children(tree, octets, level, bounds);
}

void Checker::walk_children(Tree& tree, std::string_view branch, unsigned level,
                            const Bounds& bounds) {
  if (tree.whole && level + 1 == tree.record.depth) expect_soon(branch);
  const std::size_t count = page::nodes_of(branch);
  for (std::size_t i = 0; i < count; ++i) {
    Bounds below = bounds;
    if (i != 0) below.lower = page::node_key(branch, i);
    if (i + 1 != count) below.upper = page::node_key(branch, i + 1);
    walk(tree, page::load_node(branch, page::node_offset(branch, i)).child(), level + 1, below);
  }
}

void Checker::check_leaf(Tree& tree, std::string_view leaf) {
  const std::size_t count = page::nodes_of(leaf);
  tree.entries += count;
  for (std::size_t i = 0; i < count; ++i) {
    if ((page::load_node(leaf, page::node_offset(leaf, i)).flags & page::kBigData) != 0) {
      check_overflow(tree, leaf, i);
    } else if (tree.visit) {
      tree.visit(page::node_key(leaf, i), page::node_data(leaf, i));
    }
  }
}

void Checker::check_overflow(Tree& tree, std::string_view leaf, std::size_t index) {
  const std::uint64_t size = page::load_node(leaf, page::node_offset(leaf, index)).size;
  const auto first = page::load<std::uint64_t>(page::node_data(leaf, index), 0);
  if (const std::string why = claim(first); !why.empty()) return fault(tree, first, why);
  overflow_.resize(page::kHeaderSize);
  if (const std::string why = read(first, overflow_); !why.empty()) return fault(tree, first, why);
  const std::uint64_t pages = page::overflow_count_of(overflow_);
  if (page::number_of(overflow_) != first || page::flags_of(overflow_) != page::kOverflow)
    return fault(tree, first, "it is not the overflow page that belongs here");
  if (pages == 0 || pages > meta_.last_page + 1 - first ||
      page::kHeaderSize + size > pages * page_size_)
    return fault(
        tree, first,
        std::to_string(size) + " octets cannot lie in its " + std::to_string(pages) + " pages");
  for (std::uint64_t i = 1; i < pages; ++i)
    if (const std::string why = claim(first + i); !why.empty()) return fault(tree, first + i, why);
  tree.overflow_pages += pages;
  if (!tree.visit) return;
  overflow_.resize(page::kHeaderSize + size);
  if (const std::string why = read(first, overflow_); !why.empty()) return fault(tree, first, why);
  tree.visit(page::node_key(leaf, index), std::string_view(overflow_).substr(page::kHeaderSize));
}

// --- The free list: a count and page numbers, falling, for each commit that replaced pages ---

void Checker::take_free_pages(Tree& tree, std::string_view key, std::string_view data) {
  const std::string where =
      tree.name + ", commit " + std::to_string(page::load<std::uint64_t>(key, 0)) + ": ";
  const auto bad = [&](const std::string& why) {
    tree.broken = true;
    fault(where + why);
  };
  const std::uint64_t room = data.size() / page::kPageNumberSize;
  const std::uint64_t count = room == 0 ? 0 : page::load<std::uint64_t>(data, 0);
  if (room == 0 || count >= room)
    return bad("a record of " + std::to_string(data.size()) + " octets cannot hold " +
               std::to_string(count) + " numbers");
  std::uint64_t before = meta_.last_page + 1;
  for (std::uint64_t i = 1; i <= count; ++i) {
    const auto number = page::load<std::uint64_t>(data, i * page::kPageNumberSize);
    if (number < page::kMetaPages || number >= before)
      return bad("page " + std::to_string(number) + " cannot follow page " +
                 std::to_string(before));
    if (free_[number] || used_[number])
      return bad("page " + std::to_string(number) + " is " +
                 (free_[number] ? "listed twice" : "in use"));
    free_[number] = true;
    before = number;
  }
}

void Checker::check_free_list() {
  Tree tree;
  tree.name = "the free list";
  tree.kind = TreeKind::kFreeList;
  tree.record = meta_.free_list;
  tree.whole = true;
  std::uint64_t newest = 0;
  tree.visit = [&](std::string_view key, std::string_view data) {
    newest = page::load<std::uint64_t>(key, 0);
    take_free_pages(tree, key, data);
  };
  check_tree(tree);
  // Every commit replaces pages, but for the first one, which makes them. So a header page whose
  // number grew by damage is found, and with it a commit that is not the last one.
  if (!tree.broken && newest != meta_.txn_id && (newest != 0 || meta_.txn_id > 1)) {
    tree.broken = true;
    fault(tree.name + ": it ends with commit " + std::to_string(newest) +
          ", and the file with commit " + std::to_string(meta_.txn_id));
  }
  free_list_broken_ = tree.broken;
}

// --- Tables ---

void Checker::check_tables() {
  std::array<std::optional<page::TreeRecord>, kTableCount> records;
  Tree names;
  names.name = "the names of tables";
  names.kind = TreeKind::kTables;
  names.record = meta_.tables;
  names.whole = true;
  names.visit = [&](std::string_view key, std::string_view data) {
    for (std::size_t i = 0; i < kTableCount; ++i)
      if (key == table_name(static_cast<Table>(i))) records[i] = page::load_tree(data, 0);
  };
  check_tree(names);
  report_.unusable = names.broken;
  // A file without any table is one that was just made.
  if (names.broken || names.entries == 0) return;
  for (std::size_t i = 0; i < kTableCount; ++i) {
    Tree tree;
    tree.name = "table " + std::string(table_name(static_cast<Table>(i)));
    if (!records[i]) {
      report_.unusable = true;
      fault(tree.name + ": it is not among the names of tables");
      continue;
    }
    if (!options_.tables.test(i)) continue;
    tree.record = *records[i];
    tree.whole = report_.whole;
    check_tree(tree);
    report_.broken[i] = tree.broken;
  }
}

// A page that nothing leads to: an older page lies where a newer one should, which led to it.
void Checker::check_orphans() {
  for (std::uint64_t i = page::kMetaPages; i <= meta_.last_page; ++i) {
    if (used_[i] || free_[i]) continue;
    return fault("page " + std::to_string(i) + ": nothing leads to it, and it is not free");
  }
}

PageReport Checker::run() {
  report_.unusable = !check_headers();
  if (report_.unusable) return std::move(report_);
  report_.whole = options_.extent == PageExtent::kWhole ||
                  (options_.extent == PageExtent::kFit && report_.size_due <= kFitOctetsMax);
  free_.resize(meta_.last_page + 1);
  used_.resize(meta_.last_page + 1);
  check_free_list();
  if (!check_size()) {
    report_.unusable = true;
    return std::move(report_);
  }
  check_tables();
  if (report_.whole && options_.orphans && options_.tables.all() && report_.fault_count == 0)
    check_orphans();
  return std::move(report_);
}

}  // namespace

Result<PageReport> check_pages(const std::string& path, const PageCheckOptions& options) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0) return system_error(errno, "cannot open the database file", path);
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) return system_error(errno, "cannot examine", path);
  Checker checker(file.fd(), static_cast<std::uint64_t>(info.st_size), options);
  return checker.run();
}

}  // namespace kauri::storage
