// The spellings in format strings, which the parser reads and the printer writes.

extension PredicateComparison.Operator {
    /// The spelling of the operator in format strings.
    package var formatSpelling: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .between: "BETWEEN"
        case .isIn: "IN"
        case .contains: "CONTAINS"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .like: "LIKE"
        case .matches: "MATCHES"
        }
    }
}

extension PredicateComparison.Options {
    /// The letters of the options, as in `[cd]` after an operator.
    static let letters: [(letter: Unicode.Scalar, option: PredicateComparison.Options)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized),
        ("l", .localeSensitive), ("s", .numeric),
    ]

    /// The letters in brackets; empty without options.
    var formatSpelling: String {
        if isEmpty { return "" }
        return "[" + Self.letters.map { contains($0.option) ? String($0.letter) : "" }.joined()
            + "]"
    }
}

extension FetchFunction {
    /// The sign between two arguments and its precedence; nil for functions that are called.
    var infix: (sign: String, level: OperatorLevel)? {
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

    /// The function as a step of a key path, such as `@sum`; nil for other functions.
    var collectionOperator: String? {
        isAggregate ? "@" + (self == .average ? "avg" : rawValue) : nil
    }

    /// Finds the function of a step of a key path, by its name without the `@`.
    init?(collectionOperator name: String) {
        switch name {
        case "avg": self = .average
        case "distinctUnionOfArrays", "distinctUnionOfSets": self = .distinct
        default:
            guard let function = FetchFunction(rawValue: name), function.isAggregate else {
                return nil
            }
            self = function
        }
    }
}
