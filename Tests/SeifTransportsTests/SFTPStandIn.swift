/// A server of SFTP with one fault, in the place of `ssh`: it reads and answers packets, and its file `b` has 100,000
/// bytes.
enum SFTPStandIn {
  /// The faults, and `none`.
  static let script = """
    #!/usr/bin/env python3
    import os, struct, sys, time
    fault = "@FAULT@"
    content = bytes(range(250)) * 400
    def need(n):
        got = b""
        while len(got) < n:
            more = os.read(0, n - len(got))
            if not more: sys.exit(0)
            got += more
        return got
    def send(body):
        os.write(1, struct.pack(">I", len(body)) + body)
    def string(b): return struct.pack(">I", len(b)) + b
    def status(i, code, words=b"no"): send(struct.pack(">BII", 101, i, code) + string(words) + string(b""))
    def attributes(size): return struct.pack(">IQI", 5, size, 0o100600)
    if fault == "text": os.write(1, b"Welcome to this machine!\\n")
    if fault == "silent": time.sleep(60)
    listed = 0
    while True:
        body = need(struct.unpack(">I", need(4))[0])
        kind = body[0]
        if kind == 1:
            if fault == "version": send(struct.pack(">BI", 2, 6)); continue
            if fault == "huge": os.write(1, struct.pack(">I", 1 << 30) + b"x" * 100); continue
            send(struct.pack(">BI", 2, 3)); continue
        i = struct.unpack(">I", body[1:5])[0]
        if fault == "hangs": time.sleep(60)
        if fault == "identifier": i += 1000
        if fault == "unasked": status(i + 1, 0)
        if kind in (7, 17):
            if fault == "no size": send(struct.pack(">BIII", 105, i, 4, 0o100600))
            elif fault == "vast": send(struct.pack(">BI", 105, i) + attributes((1 << 64) - 1))
            elif fault == "wrong answer": send(struct.pack(">BI", 102, i) + string(b"h"))
            elif body.endswith(b"b"): send(struct.pack(">BI", 105, i) + attributes(len(content)))
            else: status(i, 2)
        elif kind in (3, 11):
            if fault == "escape": status(i, 4, b"bad\\x1b[31m\\nfake")
            elif fault == "ok for a handle": status(i, 0)
            else: send(struct.pack(">BI", 102, i) + string(b"handle"))
        elif kind == 5:
            offset, count = struct.unpack(">QI", body[-12:])
            if fault == "short": count = min(count, 1000)
            if fault == "more": send(struct.pack(">BI", 103, i) + string(b"x" * (count + 1))); continue
            if fault == "nothing": send(struct.pack(">BI", 103, i) + string(b"")); continue
            if fault == "ends early" and offset >= 50000: status(i, 1); continue
            if fault == "fails": status(i, 4); continue
            if fault == "cut" and offset >= 50000: sys.exit(0)
            send(struct.pack(">BI", 103, i) + string(content[offset:offset + count]))
        elif kind == 12:
            listed += 1
            one = string(b"b") + string(b"") + attributes(len(content))
            if fault == "endless": send(struct.pack(">BII", 104, i, 1000) + one * 1000)
            elif fault == "empty names": send(struct.pack(">BII", 104, i, 0))
            elif fault == "leads elsewhere": send(struct.pack(">BII", 104, i, 1) + string(b"../b") + string(b"") + attributes(1))
            elif listed == 1: send(struct.pack(">BII", 104, i, 1) + one)
            else: status(i, 1)
        else: status(i, 0)
    """

  static func script(_ fault: String) -> String { script.replacing("@FAULT@", with: fault) }
}
