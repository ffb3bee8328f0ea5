import DuramenModel

/// The form of an SQL expression's value, by which the value is decoded.
package enum SQLKind: UInt8, Sendable {
    case integer = 0x69
    case boolean = 0x62
    case double = 0x64
    /// An integer or a double, by the engine's type.
    case number = 0x6E
    case text = 0x74
    case uri = 0x75
    case date = 0x44
    case binary = 0x78
    case uuid = 0x67
    /// A decimal's column, and the exact digits beside it: two arguments.
    case decimal = 0x6D
    /// The bytes of a ``BoxedValue``.
    case boxed = 0x71

    /// Nil for kinds that no expression can have.
    init?(_ kind: SlotKind) {
        switch kind {
        case .integer: self = .integer
        case .boolean: self = .boolean
        case .double, .float: self = .double
        case .decimal: self = .decimal
        case .text: self = .text
        case .uri: self = .uri
        case .date: self = .date
        case .binary: self = .binary
        case .uuid: self = .uuid
        case .reference, .referenceEntity, .transformable: return nil
        }
    }

    /// The kind of a slot whose values compare in the same way; nil if there is none.
    var slotKind: SlotKind? {
        switch self {
        case .integer: .integer
        case .boolean: .boolean
        case .double: .double
        case .text: .text
        case .uri: .uri
        case .date: .date
        case .binary: .binary
        case .uuid: .uuid
        case .decimal: .decimal
        case .number, .boxed: nil
        }
    }

    /// Whether the engine compares and computes it as a number.
    var isNumber: Bool {
        switch self {
        case .integer, .boolean, .double, .number: true
        default: false
        }
    }

    var isWhole: Bool { self == .integer || self == .boolean }

    /// Whether the engine compares values of both kinds as the evaluator does.
    func compares(with other: SQLKind, _ dialect: some SQLDialect) -> Bool {
        switch (self, other) {
        case (.decimal, .decimal): dialect.comparesDecimals
        case (.text, .text), (.text, .uri), (.uri, .text), (.uri, .uri), (.date, .date),
            (.binary, .binary), (.uuid, .uuid):
            true
        default: isNumber && other.isNumber && (!dialect.isTyped || self == other)
        }
    }
}

/// An SQL expression with one value.
struct SQLValue {
    var text: String
    var kind: SQLKind
    /// The exact digits beside a decimal's column.
    var digits = "NULL"
    /// Whether it is the constant null.
    var isNull = false

    /// The expression as one or two arguments of a call.
    var argument: String { kind == .decimal ? "\(text), \(digits)" : text }
}

/// The rows of a collection in SQL, with a condition for each table.
struct SQLRows {
    /// Each table with its joins, the outermost first.
    var tables: [(from: String, scope: SQLScope)]
    var conditions: [String]
    /// The rest of the path, after the last table.
    var rest: [String] = []

    /// `FROM …`, complete once all conditions are compiled, since these may add joins.
    func from(_ dialect: some SQLDialect) -> String {
        tables.map { $0.from + $0.scope.joins }.joined(separator: " \(dialect.freeJoin) ")
    }

    var condition: String { conditions.joined(separator: " AND ") }
}
