#include "entry/dictionary.h"

#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "base/assert.h"
#include "base/random.h"
#include "entry/append_list.h"
#include "entry/description_index.h"

namespace kauri::entry {
namespace {

using Item = DictionaryItem;

// What is known of one attribute type.
struct TypeNode {
  explicit TypeNode(const schema::AttributeType& own_type) : type(own_type) {}
  const schema::AttributeType& type;
  std::atomic<std::uint32_t> plain{0};  // the number of the description without options; 0 = none
  AppendList<AttributeNumber> numbers;  // of the type and its subtypes, with all options
  std::vector<const schema::AttributeType*> under;  // the type and its subtypes; constant
};

// Items by number: chunk k holds the numbers [2^k, 2^(k+1)), so that nothing ever moves.
constexpr std::size_t kChunkCount = 24;
constexpr std::uint32_t chunk_start(std::size_t chunk) {
  return std::uint32_t{1} << chunk;
}
static_assert(chunk_start(kChunkCount) - 1 == Dictionary::kNumberMax);

}  // namespace

struct Dictionary::State {
  using Slot = std::atomic<const Item*>;

  // nullptr when `number` was not given out.
  const Item* item(AttributeNumber number) const {
    const std::uint32_t value = number.value();
    if (value == 0 || value > kNumberMax) return nullptr;
    const std::size_t chunk = static_cast<std::size_t>(std::bit_width(value)) - 1;
    const Slot* slots = chunks[chunk].load(std::memory_order_acquire);
    return slots == nullptr ? nullptr
                            : slots[value - chunk_start(chunk)].load(std::memory_order_acquire);
  }

  // nullptr for a type that the schema does not know at all.
  TypeNode* node(const schema::AttributeType* type, const schema::Schema& schema) const {
    auto found = nodes.find(type);
    // A description made with another snapshot of the schema: the OID says which type it is.
    if (found == nodes.end() && type != nullptr)
      found = nodes.find(schema.attribute_type(type->oid));
    return found == nodes.end() ? nullptr : found->second.get();
  }

  // REQUIRES: mutex held, `number` free, the description has none.
  void add(AttributeNumber number, schema::AttributeDescription description,
           const schema::Schema& schema);

  // Constant after construction: one for each type of the schema.
  std::unordered_map<const schema::AttributeType*, std::unique_ptr<TypeNode>> nodes;
  // Appended to; read without a lock.
  std::array<std::atomic<Slot*>, kChunkCount> chunks{};
  std::atomic<std::size_t> count{0};
  DescriptionIndex with_options{Random::system()};
  // Guarded by mutex.
  std::mutex mutex;
  std::uint32_t last = 0;
  std::vector<std::unique_ptr<const Item>> items;
  std::vector<std::unique_ptr<Slot[]>> chunk_memory;
};

void Dictionary::State::add(AttributeNumber number, schema::AttributeDescription description,
                            const schema::Schema& schema) {
  std::string text = description.to_string();
  items.push_back(
      std::make_unique<const Item>(Item{number, std::move(description), std::move(text)}));
  const Item* item = items.back().get();
  const std::size_t chunk = static_cast<std::size_t>(std::bit_width(number.value())) - 1;
  Slot* slots = chunks[chunk].load(std::memory_order_relaxed);
  if (slots == nullptr) {
    chunk_memory.push_back(std::make_unique<Slot[]>(chunk_start(chunk)));
    slots = chunk_memory.back().get();
    chunks[chunk].store(slots, std::memory_order_release);
  }
  // Readers learn the number from the lists at the end, so the ways from number to item and from
  // description to number come first.
  slots[number.value() - chunk_start(chunk)].store(item, std::memory_order_release);
  count.fetch_add(1, std::memory_order_release);
  if (number.value() > last) last = number.value();
  TypeNode& own = *node(item->description.type, schema);
  if (item->description.options.empty()) {
    own.plain.store(number.value(), std::memory_order_release);
  } else {
    with_options.add(item);
  }
  for (const auto* type = item->description.type; type != nullptr; type = type->superior)
    node(type, schema)->numbers.append(number);
}

Dictionary::Dictionary(std::shared_ptr<const schema::Schema> schema)
    : schema_(std::move(schema)), state_(std::make_unique<State>()) {
  KAURI_ASSERT(schema_ != nullptr);
  for (const auto* type : schema_->attribute_types())
    state_->nodes.emplace(type, std::make_unique<TypeNode>(*type));
  for (const auto* type : schema_->attribute_types()) {
    for (const auto* at = type; at != nullptr; at = at->superior)
      state_->nodes.at(at)->under.push_back(type);
  }
}

Dictionary::~Dictionary() = default;

std::optional<AttributeNumber> Dictionary::find(
    const schema::AttributeDescription& description) const {
  const TypeNode* node = state_->node(description.type, *schema_);
  if (node == nullptr) return std::nullopt;
  if (description.options.empty()) {
    const std::uint32_t number = node->plain.load(std::memory_order_acquire);
    if (number == 0) return std::nullopt;
    return AttributeNumber(number);
  }
  const Item* item = state_->with_options.find(node->type, description.options);
  if (item == nullptr) return std::nullopt;
  return item->number;
}

const schema::AttributeDescription& Dictionary::description(AttributeNumber number) const {
  const Item* item = state_->item(number);
  KAURI_ASSERT(item != nullptr);
  return item->description;
}

std::string_view Dictionary::text(AttributeNumber number) const {
  const Item* item = state_->item(number);
  KAURI_ASSERT(item != nullptr);
  return item->text;
}

bool Dictionary::contains(AttributeNumber number) const {
  return state_->item(number) != nullptr;
}

std::size_t Dictionary::size() const {
  return state_->count.load(std::memory_order_acquire);
}

std::span<const AttributeNumber> Dictionary::numbers_of(const schema::AttributeType& type) const {
  const TypeNode* node = state_->node(&type, *schema_);
  return node == nullptr ? std::span<const AttributeNumber>() : node->numbers.span();
}

std::span<const schema::AttributeType* const> Dictionary::types_under(
    const schema::AttributeType& type) const {
  const TypeNode* node = state_->node(&type, *schema_);
  if (node == nullptr) return {};
  return node->under;
}

std::vector<AttributeNumber> Dictionary::numbers_under(
    const schema::AttributeDescription& asserted) const {
  std::vector<AttributeNumber> numbers;
  if (asserted.type == nullptr) return numbers;
  const auto of_type = numbers_of(*asserted.type);
  if (asserted.options.empty()) {
    numbers.assign(of_type.begin(), of_type.end());
    return numbers;
  }
  // Language ranges and the like are the business of is_subtype_of; the type is settled.
  for (const AttributeNumber number : of_type) {
    const schema::AttributeDescription& stored = description(number);
    if (schema::AttributeDescription{asserted.type, stored.options}.is_subtype_of(asserted))
      numbers.push_back(number);
  }
  return numbers;
}

AttributeNumber Dictionary::intern(const schema::AttributeDescription& description) {
  if (const auto found = find(description)) return *found;
  const std::lock_guard lock(state_->mutex);
  if (const auto found = find(description)) return *found;
  KAURI_ASSERT(description.type != nullptr);
  schema::AttributeDescription own{schema_->attribute_type(description.type->oid),
                                   description.options};
  KAURI_ASSERT(own.type != nullptr);
  KAURI_ASSERT(state_->last < kNumberMax);
  const AttributeNumber number(state_->last + 1);
  state_->add(number, std::move(own), *schema_);
  return number;
}

Result<void> Dictionary::restore(AttributeNumber number, std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return corruption("attribute dictionary, number " + std::to_string(number.value()) + ", \"" +
                      std::string(text.substr(0, 200)) + "\": " + std::string(why));
  };
  if (number.value() == 0 || number.value() > kNumberMax)
    return refuse("numbers go from 1 to " + std::to_string(kNumberMax));
  auto description = schema_->attribute_description(text);
  if (!description)
    return refuse("the schema does not define this attribute; add the definition it had");
  const std::lock_guard lock(state_->mutex);
  if (const Item* taken = state_->item(number); taken != nullptr)
    return refuse("the number stands for \"" + taken->text + "\" already");
  if (const auto other = find(*description))
    return refuse("the attribute has the number " + std::to_string(other->value()) + " already");
  state_->add(number, std::move(*description), *schema_);
  return {};
}

}  // namespace kauri::entry
