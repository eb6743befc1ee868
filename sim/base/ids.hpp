// Typed indices. A StationId never indexes a table of pools: Table<Id, T> takes only its own id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace storcast {

enum class StationId : std::uint16_t { none = 0xffff };
enum class GroupId : std::uint16_t { none = 0xffff };  // separate queues that share a name
enum class PoolId : std::uint16_t { none = 0xffff };
enum class StreamId : std::uint16_t {};
enum class DriveId : std::uint16_t { none = 0xffff };
enum class ShapeId : std::uint16_t {};
enum class IoId : std::uint32_t { none = 0xffffffff };

template <class Id>
constexpr std::size_t index_of(Id id) noexcept {
  return static_cast<std::size_t>(id);
}

template <class Id, class T>
class Table {
 public:
  Id add(T value) {
    rows_.push_back(std::move(value));
    return static_cast<Id>(rows_.size() - 1);
  }
  T& operator[](Id id) noexcept { return rows_[index_of(id)]; }
  const T& operator[](Id id) const noexcept { return rows_[index_of(id)]; }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  T* data() noexcept { return rows_.data(); }
  auto begin() noexcept { return rows_.begin(); }
  auto end() noexcept { return rows_.end(); }
  auto begin() const noexcept { return rows_.begin(); }
  auto end() const noexcept { return rows_.end(); }

 private:
  std::vector<T> rows_;
};

}  // namespace storcast
