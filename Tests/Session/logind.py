"""A system bus of one's own with a mock of logind on it. Says the bus's address, then does what lines of stdin say.

sleep, wake, lock, hint, end SESSION, user: each emits the signal; inhibitors: how many hold up a sleep. Each is answered.
"""
import contextlib
import os
import socket
import subprocess
import sys
import time

import dbus
import dbusmock

folder = sys.argv[1]
config = os.path.join(folder, "bus.conf")
with open(config, "w") as file:
    file.write(f"""<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={folder}/bus</listen><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>""")
daemon = subprocess.Popen(["dbus-daemon", "--nofork", "--config-file", config], stdin=subprocess.DEVNULL)
address = f"unix:path={folder}/bus"
os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = address
for _ in range(500):
    # The name is there before anybody listens under it.
    with socket.socket(socket.AF_UNIX) as trial, contextlib.suppress(OSError):
        trial.connect(f"{folder}/bus")
        break
    time.sleep(0.05)
mock = subprocess.Popen([sys.executable, "-m", "dbusmock", "--system", "--template", "logind"],
                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
try:
    bus = dbus.bus.BusConnection(address)
    for _ in range(500):
        if bus.name_has_owner("org.freedesktop.login1"):
            break
        time.sleep(0.05)
    manager = bus.get_object("org.freedesktop.login1", "/org/freedesktop/login1")
    manager.AddSession("c7", "seat0", os.getuid(), "ana", True, dbus_interface=dbusmock.MOCK_IFACE)
    session = bus.get_object("org.freedesktop.login1", "/org/freedesktop/login1/session/c7")
    other = manager.AddSession("c8", "seat0", 4321, "other", True, dbus_interface=dbusmock.MOCK_IFACE)

    def emit(member, signature, *values):
        manager.EmitSignal("org.freedesktop.login1.Manager", member, signature, list(values),
                           dbus_interface=dbusmock.MOCK_IFACE)

    print(address, flush=True)
    for line in sys.stdin:
        word, *rest = line.split()
        if word in ("sleep", "wake"):
            emit("PrepareForSleep", "b", word == "sleep")
        elif word == "lock":
            session.Lock(dbus_interface="org.freedesktop.login1.Session")
        elif word == "lock-other":
            bus.get_object("org.freedesktop.login1", other).Lock(dbus_interface="org.freedesktop.login1.Session")
        elif word == "hint":
            session.SetLockedHint(True, dbus_interface="org.freedesktop.login1.Session")
        elif word == "end":
            emit("SessionRemoved", "so", rest[0], dbus.ObjectPath("/org/freedesktop/login1/session/" + rest[0]))
        elif word == "user":
            emit("UserRemoved", "uo", dbus.UInt32(os.getuid()), dbus.ObjectPath("/org/freedesktop/login1/user/x"))
        elif word == "inhibitors":
            count = len(manager.ListInhibitors(dbus_interface="org.freedesktop.login1.Manager"))
            print(f"held up by {count}.", flush=True)
            continue
        elif word == "stop":
            break
        print("done", flush=True)
finally:
    mock.terminate()
    daemon.terminate()
    mock.wait()
    daemon.wait()
