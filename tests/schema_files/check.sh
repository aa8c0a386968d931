#!/bin/bash
# Checks that the schema files of other packages load as tests/schema_files/manifest.txt says.
#
#   tests/schema_files/check.sh PROGRAM DIRECTORY   DIRECTORY holds one folder a package (dpkg -x), or is a file system root
#   tests/schema_files/check.sh PROGRAM --fetch     gets the packages with apt-get download; nothing is installed
# PROGRAM is kauri_schema_files. Prints one line a check; exit status 1 when one fails. With VERBOSE=1 it shows what the
# program printed.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
packages="slapd samba krb5-kdc-ldap sudo-ldap freeradius isc-dhcp-server-ldap 389-ds-base"

if [[ $# -ne 2 || ! -x $1 ]]; then
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
program=$1
directory=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ $directory == --fetch ]]; then
  directory=$work/packages
  mkdir -p "$directory" "$work/archives"
  # shellcheck disable=SC2086  # a list of words
  (cd "$work/archives" && apt-get -q download $packages >&2)
  for archive in "$work"/archives/*.deb; do
    name=$(basename "$archive")
    dpkg -x "$archive" "$directory/${name%%_*}"
  done
fi

# Prints where the file lies as plain text; packed ones are unpacked first.
locate_file() {
  local path=$1 folder found
  for folder in "$directory" "$directory"/*; do
    found=$folder/$path
    if [[ -f $found ]]; then
      echo "$found"
      return 0
    fi
    if [[ -f $found.gz ]]; then
      local plain=$work/plain/$path
      mkdir -p "$(dirname "$plain")"
      gzip -dc "$found.gz" >"$plain"
      echo "$plain"
      return 0
    fi
  done
  echo "no such file: $path" >&2
  return 1
}

declare -A sets
# Fills the array `files` with the places of the words given; @NAME stands for a set.
resolve() {
  local word
  for word in "$@"; do
    if [[ $word == @* ]]; then
      # shellcheck disable=SC2086  # a list of words
      resolve ${sets[${word#@}]}
    else
      files+=("$(locate_file "$word")")
    fi
  done
}

checks=0
failures=0
report() {
  checks=$((checks + 1))
  if [[ $1 == ok ]]; then
    echo "ok      $2"
  else
    failures=$((failures + 1))
    echo "FAILED  $2"
    sed 's/^/        /' "$work/output"
  fi
  if [[ ${VERBOSE:-0} == 1 && $1 == ok ]]; then sed 's/^/        /' "$work/output"; fi
}

while IFS= read -r line; do
  [[ -z $line || $line == \#* ]] && continue
  text=
  [[ $line == *" -- "* ]] && text=${line#* -- }
  read -ra words <<<"${line%% -- *}"
  verb=${words[0]}
  if [[ $verb == set ]]; then
    sets[${words[1]}]=${words[*]:2}
    continue
  fi
  files=()
  resolve "${words[@]:1}"
  status=0
  "$program" --warnings "${files[@]}" >"$work/output" 2>&1 || status=$?
  outcome=failed
  case $verb in
    load)
      if [[ $status -eq 0 ]] && ! grep -q 'holds no schema definition' "$work/output"; then outcome=ok; fi
      ;;
    nothing)
      empty=$(grep -c 'holds no schema definition' "$work/output" || true)
      if [[ $status -eq 0 && $empty -eq ${#files[@]} ]]; then outcome=ok; fi
      ;;
    refuse)
      if [[ $status -eq 1 ]] && grep -qF -- "$text" "$work/output"; then outcome=ok; fi
      ;;
    *)
      echo "manifest.txt: unknown word '$verb'" >&2
      exit 2
      ;;
  esac
  report $outcome "$verb ${words[*]:1}"
done <"$here/manifest.txt"

echo "$((checks - failures)) of $checks checks passed"
[[ $failures -eq 0 ]]
