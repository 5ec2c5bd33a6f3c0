internal import Glibc
internal import SeifTestSupport

/// Folders of servers.
enum TestFolder {
  /// Makes a folder and those above it.
  static func make(_ path: String) throws {
    var made = ""
    for part in path.split(separator: "/") {
      made += "/" + part
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw ServerProcess.Failure("no folder can be made") }
    }
  }
}

/// What another client of S3 does at a server.
enum S3Bucket {
  /// Makes a bucket.
  static func make(_ bucket: String, _ endpoint: String, _ accessKey: String, _ secretKey: String) throws {
    let script = """
      from sys import stdin
      from boto3 import client
      from botocore.config import Config
      bucket, endpoint, access, secret = stdin.read().split("\\n")
      s3 = client("s3", endpoint_url=endpoint, aws_access_key_id=access, aws_secret_access_key=secret,
                  region_name="us-east-1", config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 10}))
      s3.create_bucket(Bucket=bucket)
      """
    _ = try Python.run(script, input: Array("\(bucket)\n\(endpoint)\n\(accessKey)\n\(secretKey)".utf8))
  }
}
