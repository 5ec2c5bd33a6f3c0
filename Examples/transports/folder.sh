#!/bin/sh
# Keeps backups in a folder: folder.sh FOLDER list|upload NAME SIZE|download ID|delete ID|check
set -eu
umask 077
export LC_ALL=C

fail() { # STATUS WORDS
  echo "$2" >&2
  exit "$1"
}
usable() { # A name in this folder, none that leads elsewhere or is hidden.
  case $1 in '' | .* | */*) fail 66 "not a name of a file" ;; esac
}
present() { [ -f "./$1" ] && [ ! -L "./$1" ]; }
begin() { # Makes a file that isn't listed, is nobody else's, and goes with this program.
  part=.part-$$-$(date +%s)
  (set -C && : >"./$part") 2>/dev/null || fail 77 "nothing can be written there"
  trap 'rm -f "./$part"' EXIT
  trap 'exit 75' HUP INT TERM
}

cd "$1" || fail 66 "the folder isn't there"

case $2 in
list)
  for file in *; do
    case $file in *[[:cntrl:]]*) continue ;; esac
    present "$file" || continue
    size=$(wc -c 2>/dev/null <"./$file") || continue
    printf '%s\t%s\t%s\n' "$((size))" "$file" "$file"
  done
  ;;
upload)
  usable "$3"
  begin
  cat >"./$part" || fail 74 "it can't be written"
  [ "$(wc -c <"./$part")" -eq "$4" ] || fail 75 "fewer bytes came than were announced"
  sync "./$part"
  # In one step, and never over a file that is there.
  if ! link "./$part" "./$3" 2>/dev/null; then
    [ -e "./$3" ] && fail 73 "the name is taken"
    fail 74 "it can't have that name"
  fi
  sync .
  ;;
download)
  usable "$3"
  present "$3" || fail 66 "no such file"
  cat "./$3"
  ;;
delete)
  usable "$3"
  present "$3" || fail 66 "no such file"
  rm -f "./$3" || fail 77 "it can't be deleted"
  ;;
check) begin ;;
*) fail 64 "no such verb" ;;
esac
