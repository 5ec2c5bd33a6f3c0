"""What the sources alone can show: what Seif never calls, and what it reads of its environment."""
import re
import unittest

import documents

SHIPPED = [path for path in sorted((documents.ROOT / "Sources").rglob("*.swift"))
           if path.relative_to(documents.ROOT).parts[1] not in ("SeifTestSupport", "SeifSQLTesting", "SeifAgentTesting",
                                                                "SeifTransportTesting")]


class Sources(unittest.TestCase):
    def found(self, pattern):
        """The lines that have it, comments left out: (file, line)."""
        self.assertGreater(len(SHIPPED), 100)
        for path in SHIPPED:
            for line in documents.read(path).splitlines():
                code = line.split("//")[0]
                if re.search(pattern, code):
                    yield documents.shown(path), code.strip()

    def test_headers_open_sockets_of_this_machine_alone(self):
        headers = sorted((documents.ROOT / "Sources").rglob("*.h"))
        lines = [line for path in headers for line in documents.read(path).splitlines()
                 if re.search(r"\b(socket|socketpair)\(", line)]
        self.assertGreater(len(lines), 1)
        others = [line.strip() for line in lines if "socket(AF_UNIX, " not in line]
        # The doctor's question to a time server, when one was named.
        self.assertEqual(["int descriptor = socket(next->ai_family, next->ai_socktype | SOCK_CLOEXEC, "
                          "next->ai_protocol);"], others)
        self.assertEqual(["Sources/SeifCommands/Doctor/TimeServer.swift"],
                         [path for path, _ in self.found(r"\bseif_ask_by_datagram\(")])
        self.assertEqual(["Sources/SeifCommands/Commands/DoctorCommand.swift"],
                         [path for path, _ in self.found(r"\bTimeServer\(\w")])

    def test_nothing_opens_a_socket(self):
        calls = r"(?<!func )(?<!try )\b(socket|socketpair|getaddrinfo|gethostbyname|URLSession)\("
        # But for the one that waits on this machine for a browser, which is no part of `seif`, and for what is part of
        # `seif-server` alone (`ServerSymbolTests`): its listener, and its word to the service manager.
        browser = documents.ROOT / "Sources" / "SeifNetworkTransports" / "OAuth" / "LoopbackListener.swift"
        server = {"Sources/SeifHTTPServer/Listener.swift", "Sources/seif-server/ServiceManager.swift"}
        self.assertEqual([documents.shown(browser)],
                         [path for path, _ in self.found(calls) if path not in server])
        self.assertEqual({"socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)"},
                         {line.split("= ")[-1] for path, line in self.found(r"\bsocket\(")
                          if path == "Sources/seif-server/ServiceManager.swift"})
        self.assertEqual({documents.shown(browser)},
                         {path for path, line in self.found(r"\b(AF_INET6?|SOCK_STREAM|SOCK_DGRAM)\b")
                          if path not in server | {"Sources/SeifHTTPServer/Response.swift",
                                                 # Reads addresses, and opens nothing.
                                                 "Sources/SeifServer/Accounts/Throttle.swift"}
                          # What a unit allows its service, for the program that reaches a destination.
                          and "RestrictAddressFamilies=" not in line})
        self.assertEqual(["address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian"],
                         [line.strip() for line in documents.read(browser).splitlines() if "s_addr" in line])
        # The agent's is of this machine, made at one place and used by its folder alone.
        shim = documents.read(documents.ROOT / "Sources" / "CSeif" / "shim.h")
        self.assertEqual(["socket(AF_UNIX,"], re.findall(r"(?<!_)\bsocket\(\w+,", shim))
        self.assertEqual({"Sources/SeifAgent/Client/RuntimeFolder.swift"},
                         {path for path, _ in self.found(r"\bseif_unix_socket\(")})

    def test_nothing_is_logged(self):
        self.assertEqual([], list(self.found(r"\b(syslog|openlog|sd_journal_\w+|NSLog|os_log|Logger)\(")))

    def test_nothing_is_printed_past_the_one_output(self):
        self.assertEqual([], list(self.found(r"(?<![.\w])(print|debugPrint|dump)\(")))

    def test_no_variable_of_the_environment_is_set(self):
        self.assertEqual([], list(self.found(r"(?<![.\w])(setenv|putenv|unsetenv)\(")))

    def test_the_environment_is_read_for_what_is_listed_alone(self):
        table = documents.read(documents.COMMANDS).split("\n## Environment\n")[1].split("\n## ")[0]
        listed = set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines()
                                                    if line.startswith("| `"))))
        read = set()
        for path in SHIPPED:
            text = documents.read(path)
            read |= set(re.findall(r'nvironment(?:\.current\(\))?\["(\w+)"\]', text))
            read |= set(re.findall(r'"((?:XDG|SEIF|LC)_[A-Z_]+|LANG|XAUTHORITY|(?:WAYLAND_)?DISPLAY)"', text))
        self.assertEqual(listed, read)


@unittest.skipUnless(documents.seif_binary(), "no program")
class Secrets(unittest.TestCase):
    def test_no_option_takes_a_secret_as_its_value(self):
        overview = documents.seif("help").stdout
        names = re.findall(r"^  (\S+(?: \S+)?)  ", overview, re.M)
        self.assertGreater(len(names), 10)
        about = 0
        for name in names:
            page = documents.seif("help", *name.split()).stdout
            for option, value in re.findall(r"^  (?:-\w, )?(--[a-z-]+)(?: ([A-Z-]+))?", page, re.M):
                if re.search(r"passphrase|secret|password|recovery|pin\b|cvc|number", option) and value:
                    about += 1
                    with self.subTest(command=name, option=option):
                        # A descriptor's number or a file's name, never the thing itself.
                        self.assertRegex(option + " " + value, r"(-fd N|-file F|-sheet FILE|-code-fd N|-code-file F)$")
        self.assertGreater(about, 10)


if __name__ == "__main__":
    unittest.main()
