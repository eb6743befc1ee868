# Shared by the launcher (storcast) and tests/run: Debian packages, the build lock, builds.
# To be sourced with STORCAST_ROOT set to the checkout. Messages go to standard error, the full
# output of apt-get, cmake and the compiler to build/setup.log: standard output stays free.
# shellcheck shell=bash disable=SC2034

# Catch2 is needed by each configuration, because the tests are targets of the same build tree.
build_packages=(g++ cmake ninja-build pkg-config libsimgrid-dev libyaml-cpp-dev libhdf5-dev
  libeigen3-dev libceres-dev libcli11-dev libfmt-dev nlohmann-json3-dev catch2)
test_packages=(clang-format)
libraries="a C++20 compiler, CMake 3.25, Ninja, pkg-config, SimGrid 3.32, yaml-cpp 0.7, HDF5 1.10, \
Eigen 3.4, Ceres 2.1, CLI11 2.1, fmt 9, nlohmann-json 3.11, Catch2 2.13"
setup_log=$STORCAST_ROOT/build/setup.log

trap 'say "interrupted; the next call goes on from here"; exit 130' INT
trap 'exit 143' TERM

say() { printf 'storcast: %s\n' "$*" >&2; }

# One set-up at a time per checkout: waits for the others, then starts a new log. The lock lasts
# until unlock_build, or until the shell that took it ends.
lock_build() {
  mkdir -p "$STORCAST_ROOT/build"
  exec {build_lock}>"$STORCAST_ROOT/build/.lock"
  if ! flock --nonblock "$build_lock"; then
    say "another storcast is being built here; waiting for it"
    flock "$build_lock"
  fi
  : >"$setup_log"
}

unlock_build() { exec {build_lock}>&-; }

# logged <command>...: its output goes to the log, and there it has no standard input to wait for.
logged() { "$@" </dev/null >>"$setup_log" 2>&1; }

# give_up <what>: shows the end of the log, then its first errors again, and stops.
give_up() {
  tail -n 40 "$setup_log" >&2
  grep -m 5 -E '(^E|[Ee]rror):|CMake Error' "$setup_log" >&2
  say "$1 failed; above are the end and the first errors of $setup_log"
  exit 1
}

# missing_packages <package>...: those that are not installed, one a line.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null) || true
  for package in "$@"; do
    grep -qxF "$package installed" <<<"$installed" || echo "$package"
  done
}

apt_install() {
  logged env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}

# install_packages <package>...: installs the missing ones as root; tells others what to do.
install_packages() {
  if ! command -v apt-get >/dev/null; then
    say "this is not Debian: nothing is installed; needed are $libraries"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if (($(id -u) != 0)); then
    say "Debian packages are missing; install them with"
    echo "sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  say "installing ${missing[*]}"
  apt_install "${missing[@]}" && return
  say "updating the package lists, then once more"  # never loaded on a fresh system, or outdated
  logged apt-get update || true
  apt_install "${missing[@]}" || give_up "apt-get install"
}

# build <preset> [target]...: configures and builds; without a target everything.
build() {
  local preset=$1 jobs cache=$STORCAST_ROOT/build/$1/CMakeCache.txt renew=()
  shift
  jobs=$(nproc)
  # A moved or copied checkout brings a cache that names another folder.
  grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$STORCAST_ROOT" "$cache" || renew=(--fresh)
  say "configuring build/$preset"
  logged cmake -S "$STORCAST_ROOT" --preset "$preset" "${renew[@]}" || give_up "configuring"
  say "compiling with $jobs jobs (the first time takes minutes)"
  logged cmake --build "${cache%/*}" --parallel "$jobs" ${1+--target "$@"} || give_up "compiling"
}
