// AppendList: an array that one thread appends to while others read it without a lock. Inside
// entry/ only.
//
// Readers see a prefix of what was appended. When the array is full it is copied into one of twice
// the size; the old one stays for those who still read it, so all of them together take at most
// twice the memory of the last. Thread safety: span() anywhere; append() from one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace kauri::entry {

template <class T>
class AppendList {
 public:
  // VALID UNTIL: the list ends.
  std::span<const T> span() const {
    const Block* block = current_.load(std::memory_order_acquire);
    if (block == nullptr) return {};
    return {block->items.get(), block->size.load(std::memory_order_acquire)};
  }

  void append(const T& item) {
    Block* block = current_.load(std::memory_order_relaxed);
    const std::size_t size = block == nullptr ? 0 : block->size.load(std::memory_order_relaxed);
    if (block == nullptr || size == block->capacity) {
      auto larger = std::make_unique<Block>();
      larger->capacity = size == 0 ? 2 : size * 2;
      larger->items = std::make_unique<T[]>(larger->capacity);
      for (std::size_t i = 0; i < size; ++i) larger->items[i] = block->items[i];
      larger->items[size] = item;
      larger->size.store(size + 1, std::memory_order_relaxed);
      current_.store(larger.get(), std::memory_order_release);
      blocks_.push_back(std::move(larger));
      return;
    }
    block->items[size] = item;
    block->size.store(size + 1, std::memory_order_release);
  }

 private:
  struct Block {
    std::size_t capacity = 0;
    std::unique_ptr<T[]> items;
    std::atomic<std::size_t> size{0};
  };
  std::atomic<Block*> current_{nullptr};
  std::vector<std::unique_ptr<Block>> blocks_;  // of the appending thread
};

}  // namespace kauri::entry
