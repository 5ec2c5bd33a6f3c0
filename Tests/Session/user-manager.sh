#!/bin/bash
# Runs a script under systemd's user manager, with a /run of its own: `user-manager.sh SCRIPT ARGUMENTS`. In a container
# nothing has booted with systemd, which the manager looks for; that, too, is this /run's. All ends with the script.
#
# Exit code 125: there is no such manager here, or this process may not have a /run of its own.
set -u
if [ "${1:-}" != --inside ]; then
  for program in unshare systemctl dbus-daemon; do command -v "$program" >/dev/null || exit 125; done
  [ -x /lib/systemd/systemd ] || exit 125
  unshare --mount --pid --fork --kill-child --mount-proc true 2>/dev/null || exit 125
  exec unshare --mount --pid --fork --kill-child --mount-proc --propagation private "$BASH" "$0" --inside "$@"
fi
shift
mount -t tmpfs tmpfs /run || exit 125
export XDG_RUNTIME_DIR=/run/user/$(id -u)
mkdir -p /run/systemd/system "$XDG_RUNTIME_DIR" && chmod 700 "$XDG_RUNTIME_DIR"
dbus-daemon --session --fork --nopidfile --address="unix:path=$XDG_RUNTIME_DIR/bus" || exit 125
SYSTEMD_LOG_TARGET=console /lib/systemd/systemd --user >"${SEIF_MANAGER_LOG:-/dev/null}" 2>&1 &
for _ in $(seq 100); do
  case $(systemctl --user is-system-running 2>/dev/null) in running | degraded) started=1 && break ;; esac
  sleep 0.1
done
[ -n "${started:-}" ] || exit 125
bash "$@"
status=$?
systemctl --user exit
wait
exit "$status"
