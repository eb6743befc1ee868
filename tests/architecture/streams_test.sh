#!/usr/bin/env bash
# The program's exit codes when standard output or standard error take nothing.
# streams_test.sh PROGRAM
set -u
program=$1
passed=0 failed=0
expect() {
  if (($2 == $3)); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1: exit code $2, expected $3"
  fi
}
"$program" check no_such_file.yaml 2>&-
expect "a mistake is exit 2 with standard error closed" $? 2
"$program" run no_such_file.yaml 2>/dev/full
expect "a mistake is exit 2 with standard error full" $? 2
"$program" describe >/dev/full 2>/dev/null
expect "an answer that cannot be written is exit 1" $? 1
"$program" describe >&- 2>/dev/null
expect "an answer to a closed output is exit 1" $? 1
"$program" describe >/dev/null
expect "an answer that is written is exit 0" $? 0
"$program" run scenarios/010_null_drive.yaml --out "" >/dev/null 2>&1
expect "an empty --out is a mistake" $? 2
"$program" run scenarios/010_null_drive.yaml --out no/such/folder/x.h5 >/dev/null 2>&1
expect "a folder that is not there is a mistake" $? 2
echo "$passed passed, $failed failed"
((failed == 0))
