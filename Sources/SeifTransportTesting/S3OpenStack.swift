/// OpenStack Swift with its `s3api`: checks signatures with code of its own, has no conditions for storing, and keeps what
/// it stores at servers of its own for accounts, containers and objects.
public final class OpenStackS3: S3Server {
  private let process: ServerProcess
  public let bucket = "seif-bucket"
  // An account and a user: access keys may hold what looks like a separator.
  public let accessKey = "test:tester"
  public let secretKey = "SeifTestSecret"

  public var port: UInt16 { process.port }

  /// Starts its servers, and makes the bucket.
  public init() throws {
    // Debian's Python: that is where Debian's packages of OpenStack are.
    process = try ServerProcess("/usr/bin/python3") { folder, port in ["-c", Self.script, folder, String(port)] }
    try S3Bucket.make(bucket, endpoint, accessKey, secretKey)
  }

  /// Ends all of them, as a loss of power would.
  public func end() { process.end() }

  // The servers are forks of one process, so that neither files nor a user of the system are needed.
  private static let script = #"""
    from os import _exit as leave, execvp, fork, makedirs
    from getpass import getuser
    from socket import socket
    from sys import argv
    from swift.common import utils
    folder, port, user = argv[1], argv[2], getuser()
    # All stay in the group that ends with the test.
    utils.os.setsid = lambda: None

    def write(name, text):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)

    write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = seif\n")
    utils.SWIFT_CONF_FILE = f"{folder}/swift.conf"
    utils.HASH_PATH_SUFFIX = b"seif"
    from swift.common.ring import RingBuilder
    from swift.common.wsgi import run_wsgi

    # Held at once, so that they are four.
    probes = [socket() for _ in range(4)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()

    common = f"""[DEFAULT]
    bind_ip = 127.0.0.1
    user = {user}
    swift_dir = {folder}
    devices = {folder}/devices
    mount_check = false
    workers = 0
    log_address = {folder}/none
    """
    makedirs(f"{folder}/devices/one", exist_ok=True)
    for kind, own in zip(("account", "container", "object"), ports):
        ring = RingBuilder(4, 1, 0)
        ring.add_dev({"id": 0, "region": 1, "zone": 1, "ip": "127.0.0.1", "port": own, "device": "one", "weight": 1.0,
                      "replication_ip": "127.0.0.1", "replication_port": own, "meta": ""})
        ring.rebalance()
        ring.get_ring().save(f"{folder}/{kind}.ring.gz")
        write(f"{kind}-server.conf", common + f"""bind_port = {own}
    [pipeline:main]
    pipeline = {kind}-server
    [app:{kind}-server]
    use = egg:swift#{kind}
    """)
        if fork() == 0:
            leave(run_wsgi(f"{folder}/{kind}-server.conf", f"{kind}-server") or 0)
    cache = ports[3]
    if fork() == 0:
        execvp("memcached", ["memcached", "-l", "127.0.0.1", "-p", str(cache), "-u", user])
    write("proxy-server.conf", common + f"""bind_port = {port}
    [pipeline:main]
    pipeline = catch_errors gatekeeper cache listing_formats s3api tempauth dlo slo proxy-server
    [app:proxy-server]
    use = egg:swift#proxy
    account_autocreate = true
    [filter:catch_errors]
    use = egg:swift#catch_errors
    [filter:gatekeeper]
    use = egg:swift#gatekeeper
    [filter:cache]
    use = egg:swift#memcache
    memcache_servers = 127.0.0.1:{cache}
    [filter:listing_formats]
    use = egg:swift#listing_formats
    [filter:s3api]
    use = egg:swift#s3api
    location = us-east-1
    [filter:tempauth]
    use = egg:swift#tempauth
    user_test_tester = SeifTestSecret .admin
    [filter:dlo]
    use = egg:swift#dlo
    [filter:slo]
    use = egg:swift#slo
    """)
    leave(run_wsgi(f"{folder}/proxy-server.conf", "proxy-server") or 0)
    """#
}
