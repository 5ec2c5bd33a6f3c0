#!/bin/sh
# Runs the leak test of a program where /dev/log is a socket of ours, and says how many messages came: the one that is
# sent by logger, so that the socket is known to work, and whatever the program sends.
# Usage: syslog.sh PROGRAM, with SEIF_LOG_FOLDER an empty folder.
set -eu
exec unshare -rm sh -eu -c '
  dev=$SEIF_LOG_FOLDER
  mount -t tmpfs none "$dev"
  for name in null zero full random urandom tty; do
    touch "$dev/$name"
    mount --bind "/dev/$name" "$dev/$name"
  done
  mkdir "$dev/shm" "$dev/pts"
  mount --rbind /dev/pts "$dev/pts"
  ln -s pts/ptmx "$dev/ptmx"
  ln -s /proc/self/fd "$dev/fd"
  mount --rbind "$dev" /dev
  python3 - "$1" <<"END"
import os, socket, subprocess, sys
log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
log.bind("/dev/log")
log.setblocking(False)
os.chmod("/dev/log", 0o666)
subprocess.run(["logger", "--socket-errors=on", "hello"], check=True)
done = subprocess.run([sys.argv[1], "leak-test", "--quiet"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
count = 0
while True:
    try:
        log.recv(1 << 16)
        count += 1
    except BlockingIOError:
        break
print("received", count)
sys.exit(done.returncode)
END
' sh "$1"
