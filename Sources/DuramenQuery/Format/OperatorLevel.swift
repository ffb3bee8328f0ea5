/// How tightly the operators of format strings hold together, the loosest first: what is looser
/// than its place allows stands in parentheses.
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

    /// The next tighter level.
    var next: OperatorLevel { OperatorLevel(rawValue: rawValue + 1) ?? .postfix }

    static func < (a: OperatorLevel, b: OperatorLevel) -> Bool { a.rawValue < b.rawValue }
}
