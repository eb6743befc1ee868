// The commands of background work at a drive: in its background class, if it has one (a hard disk
// that serves clients first), or else as any other.
#pragma once

#include "sim/kernel/path.hpp"

namespace storcast {

inline constexpr int background_class = 1;

template <class Drive>
void append_background_read(const Drive& drive, PathBuilder& path) {
  if constexpr (requires { drive.append_read(path, background_class); }) {
    drive.append_read(path, background_class);
  } else {
    drive.append_read(path);
  }
}

template <class Drive>
void append_background_write(const Drive& drive, PathBuilder& path, bool sequential) {
  if constexpr (requires { drive.append_write(path, sequential, background_class); }) {
    drive.append_write(path, sequential, background_class);
  } else {
    drive.append_write(path, sequential);
  }
}

}  // namespace storcast
