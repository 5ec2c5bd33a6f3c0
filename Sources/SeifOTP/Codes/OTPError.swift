/// Why no one-time code can be made: which of its parameters is outside its bounds. Never holds the parameter.
public enum OTPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The secret is empty or longer than 2560 bytes; for Yandex, shorter than 16.
  case secret
  /// Not 1 to 10 digits.
  case digits
  /// Not 1 to 86400 seconds.
  case period
  /// Negative, or used up: there is no counter after 2^63 − 1.
  case counter
  /// Before 1970.
  case time

  public var description: String {
    switch self {
    case .secret: "the secret is empty, or not as long as this kind needs it"
    case .digits: "the number of digits isn't 1 to 10"
    case .period: "the period isn't 1 to 86400 seconds"
    case .counter: "the counter isn't 0 to 2^63 - 1"
    case .time: "the time is before 1970"
    }
  }
}
