/// The precedence of the operators in format strings, lowest first. A part of lower precedence
/// needs parentheses.
enum OperatorLevel: Int, Comparable {
    case or
    case and
    case not
    case comparison
    case assignment
    case set
    case bitwiseOr
    case bitwiseXor
    case bitwiseAnd
    case shift
    case sum
    case product
    case power
    case unary
    case postfix

    /// The next higher precedence.
    var next: OperatorLevel { OperatorLevel(rawValue: rawValue + 1) ?? .postfix }

    static func < (a: OperatorLevel, b: OperatorLevel) -> Bool { a.rawValue < b.rawValue }
}
