/// How tightly the parts of expressions hold together, the loosest first: what is looser than its place
/// allows stands in parentheses.
enum ExpressionLevel: Int, Comparable {
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
    var next: ExpressionLevel { ExpressionLevel(rawValue: rawValue + 1) ?? .postfix }

    static func < (a: ExpressionLevel, b: ExpressionLevel) -> Bool { a.rawValue < b.rawValue }
}

extension FetchFunction {
    /// The sign between two arguments, and how tightly it holds; nil for functions that are called.
    var infix: (sign: String, level: ExpressionLevel)? {
        switch self {
        case .union: ("UNION", .set)
        case .intersect: ("INTERSECT", .set)
        case .minus: ("MINUS", .set)
        case .bitwiseOr: ("|", .bitwiseOr)
        case .bitwiseXor: ("^", .bitwiseXor)
        case .bitwiseAnd: ("&", .bitwiseAnd)
        case .leftShift: ("<<", .shift)
        case .rightShift: (">>", .shift)
        case .add: ("+", .sum)
        case .subtract: ("-", .sum)
        case .multiply: ("*", .product)
        case .divide: ("/", .product)
        case .raise: ("**", .power)
        default: nil
        }
    }

    /// The function as a step of a key path, such as `@sum`; nil for others.
    var collectionOperator: String? {
        switch self {
        case .count, .sum, .min, .max, .distinct, .median, .mode, .stddev: "@" + rawValue
        case .average: "@avg"
        default: nil
        }
    }

    /// Finds the function that a step of a key path stands for.
    init?(collectionOperator name: String) {
        switch name {
        case "avg": self = .average
        case "distinctUnionOfObjects", "distinctUnionOfArrays", "distinctUnionOfSets":
            self = .distinct
        case "count", "sum", "min", "max", "average", "median", "mode", "stddev":
            self.init(rawValue: name)
        default: return nil
        }
    }
}
