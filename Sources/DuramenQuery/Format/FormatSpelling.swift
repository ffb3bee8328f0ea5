// How format strings spell what predicates are made of: read by the parser, written by the printer.

extension PredicateComparison.Operator {
    /// The operator as format strings spell it.
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
    /// The options with their letters, as `[cd]` names them behind an operator.
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
    /// The sign between two arguments, and how tightly it holds; nil for functions that are called.
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

    /// The function as a step of a key path, such as `@sum`; nil for others.
    var collectionOperator: String? {
        isAggregate ? "@" + (self == .average ? "avg" : rawValue) : nil
    }

    /// Finds the function that a step of a key path stands for, by its name without the `@`.
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
