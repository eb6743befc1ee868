#!/usr/bin/env bash
# Tests of the launcher, on a miniature checkout with its real launcher and presets. Package tools
# are replaced by stand-ins, so that nothing is installed. Ends with "N passed, N failed".
# shellcheck disable=SC2016  # the conditions and stand-ins are evaluated later
set -uo pipefail

project=$(cd "$(dirname -- "$(readlink -f -- "$0")")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree="$work/a checkout"  # with a blank, as users have them
launcher=$tree/storcast
passed=0 failed=0

mkdir -p "$tree"/{.ci,sim/app,results} "$work"/{tools,caller}
cp "$project/storcast" "$project/CMakePresets.json" "$tree"
cp "$project/.ci/setup.sh" "$tree/.ci"
cat >"$tree/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(miniature LANGUAGES CXX)
file(GLOB sources CONFIGURE_DEPENDS sim/app/*.cpp)
add_executable(storcast ${sources})
END
cat >"$tree/sim/app/main.cpp" <<'END'
#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) std::printf("[%s]", argv[i]);
  std::puts(std::getenv("STORCAST_ROOT"));
  for (int c = std::getchar(); c != EOF; c = std::getchar()) std::putchar(c);
  return argc;
}
END

# tool <name> <script>: a stand-in, first in PATH, that notes its call in tools/calls.
tool() {
  printf '#!/bin/bash\necho "%s $*" >>"%s"\n%s\n' "$1" "$work/calls" "$2" >"$work/tools/$1"
  chmod +x "$work/tools/$1"
}
export PATH="$work/tools:$PATH" STORCAST_ROOT=/elsewhere  # the launcher sets its own
real_cmake=$(command -v cmake)
tool cmake "exec '$real_cmake' \"\$@\""
installed='for p; do [[ $p == -* ]] || echo "$p installed"; done'  # dpkg-query says: all there
tool dpkg-query "$installed"
tool apt-get 'exit 0'
tool id 'echo 0'

# launch [argument]...: output in $out and $err, exit status in $status, tools called in $calls.
launch() {
  : >"$work/calls"
  (cd "$work/caller" && "$launcher" "$@" </dev/null >"$work/out" 2>"$work/err")
  status=$?
  out=$(<"$work/out") err=$(<"$work/err") calls=$(<"$work/calls")
}

# expect <sentence> <condition>: one test case; the condition is evaluated by the shell.
expect() {
  if eval "$2"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n  %s\n  status %s\n  out: %s\n  err: %s\n  calls: %s\n' \
      "$1" "$2" "$status" "$out" "$err" "$calls"
  fi
}

# stale: makes the launcher build again.
stale() { touch "$tree/sim/app/main.cpp"; }

launch run "two words" ""
expect "the first call builds, then passes arguments, root and exit status through" \
  '[[ $out == "[run][two words][]$tree" && $status == 4 ]]'
expect "the set-up speaks on standard error only" '[[ $err == *compiling* && $out != *storcast:* ]]'
expect "nothing is installed when all packages are there" '[[ $calls != *apt-get* ]]'

launch run
expect "a second call starts no tool and says nothing" '[[ -z $calls && -z $err && $status == 2 ]]'

(cd "$work/caller" && echo input | "$launcher") >"$work/out"
expect "standard input is the program's" 'grep -qx input "$work/out"'

# fastest <command>: its shortest time of 20 calls in microseconds, in $best.
fastest() {
  local started took
  best=1000000
  for _ in {1..20}; do
    started=${EPOCHREALTIME/./}
    "$@" </dev/null >/dev/null
    took=$((${EPOCHREALTIME/./} - started))
    if ((took < best)); then best=$took; fi
  done
}
fastest "$tree/build/release/storcast"
alone=$best
fastest "$launcher"
expect "the launcher of a fresh build costs less than 30 ms (here $((best - alone)) us)" \
  '((best - alone < 30000))'

ln -s "$launcher" "$work/link"
launcher=$work/link launch
expect "a symbolic link finds the checkout" '[[ $out == "$tree" && -z $calls ]]'

mkdir -p "$tree/results/runs" && touch "$tree/results/runs/a.cpp" "$tree/results/report.html"
launch
expect "results of runs do not make the program stale" '[[ -z $calls ]]'

echo 'int second() { return 2; }' >"$tree/sim/app/second.cpp"
launch
expect "a new source file is built" \
  '[[ $calls == *--build* && -n $(find "$tree/build/release" -name second.cpp.o) ]]'
rm "$tree/sim/app/second.cpp"
launch
expect "a removed source file is noticed" '[[ $calls == *--build* && $status == 1 ]]'

cp "$tree/sim/app/main.cpp" "$work/good.cpp"
echo 'int main() { return mistake; }' >"$tree/sim/app/main.cpp"
launch
expect "a failed build shows the compiler's error and starts nothing" \
  '[[ $status == 1 && -z $out && $err == *"mistake"* && $err == *"compiling failed"* ]]'
launch
expect "a failed build is tried again" '[[ $calls == *--build* && $status == 1 ]]'
cp -p "$work/good.cpp" "$tree/sim/app/main.cpp" && touch -d '2001-01-01' "$tree/sim/app/main.cpp"
launch
expect "an older file put back in place is noticed" '[[ $calls == *--build* && $out == "$tree" ]]'

stale
: >"$work/calls"
"$launcher" one </dev/null >"$work/one" 2>/dev/null &
"$launcher" two </dev/null >"$work/two" 2>/dev/null
wait $!
expect "of two launchers at once one builds and both run" \
  '[[ $(<"$work/one") == "[one]$tree" && $(<"$work/two") == "[two]$tree" &&
      $(grep -c -e --build "$work/calls") == 1 ]]'

stale
tool cmake 'sleep 30'
set -m  # a process group of its own, as in a terminal
"$launcher" </dev/null >/dev/null 2>"$work/err" &
set +m
for _ in {1..100}; do
  if grep -qs configuring "$work/err"; then break; fi
  sleep 0.05
done
started=$SECONDS
kill -INT -- -$!
wait $!
status=$? err=$(<"$work/err")
expect "an interrupt stops the build at once" \
  '[[ $status == 130 && $err == *interrupted* && $err != *failed* ]] && ((SECONDS - started < 10))'
tool cmake "exec '$real_cmake' \"\$@\""
launch
expect "an interrupted build is finished by the next call" '[[ $out == "$tree" ]]'

mv "$tree" "$work/moved" && tree=$work/moved launcher=$work/moved/storcast
launch
expect "a moved checkout is built for its new place" '[[ $out == "$tree" && $status == 1 ]]'

stale
tool dpkg-query 'for p; do [[ $p == -* || $p == g++ ]] || echo "$p installed"; done; exit 1'
tool id 'echo 1000'
launch
expect "without root the line that installs the missing packages is printed" \
  '[[ $status == 1 && -z $out && $calls != *apt-get* &&
      $err == *"sudo apt-get install -y --no-install-recommends g++" ]]'

tool id 'echo 0'
launch
expect "root installs the missing packages only, without updating the lists" \
  '[[ $calls == *"Retries=3 g++"* && $calls != *"Retries=3 g++ "* && $calls != *update* &&
      $out == "$tree" ]]'

stale
tool apt-get '[[ $1 == update ]] && touch "$0.updated"; [[ -e $0.updated ]]'
launch
expect "a failed installation is repeated after an update of the lists" \
  '[[ $(grep -c "apt-get install" <<<"$calls") == 2 && $calls == *"apt-get update"* &&
      $out == "$tree" ]]'

stale
tool apt-get 'echo "E: no network"; exit 100'
launch
expect "an installation that fails twice says why" \
  '[[ $status == 1 && -z $out && $err == *"E: no network"* && $calls != *--build* ]]'

ln -s /usr/bin/* "$work/tools" 2>/dev/null
rm "$work/tools/apt-get"
PATH=$work/tools launch
expect "a system without apt-get is told which libraries are needed" \
  '[[ $err == *"not Debian"*SimGrid*HDF5* && $calls != *apt-get* ]]'

echo "$passed passed, $failed failed"
((failed == 0))
