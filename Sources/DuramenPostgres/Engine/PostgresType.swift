/// A type of a parameter or a column, by the number that the server has for it.
///
/// The numbers of built-in types are the same on every server (PostgreSQL: pg_type.dat).
struct PostgresType: RawRepresentable, Hashable, Sendable {
    /// The number: an OID.
    let rawValue: UInt32

    /// Creates a type from its number.
    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `boolean`
    static let boolean = PostgresType(rawValue: 16)
    /// `bytea`
    static let bytea = PostgresType(rawValue: 17)
    /// `bigint`
    static let bigint = PostgresType(rawValue: 20)
    /// `smallint`
    static let smallint = PostgresType(rawValue: 21)
    /// `integer`
    static let integer = PostgresType(rawValue: 23)
    /// `text`
    static let text = PostgresType(rawValue: 25)
    /// `real`
    static let real = PostgresType(rawValue: 700)
    /// `double precision`
    static let double = PostgresType(rawValue: 701)
    /// `numeric`
    static let numeric = PostgresType(rawValue: 1700)
    /// `uuid`
    static let uuid = PostgresType(rawValue: 2950)

    /// `boolean[]`
    static let booleanArray = PostgresType(rawValue: 1000)
    /// `bytea[]`
    static let byteaArray = PostgresType(rawValue: 1001)
    /// `smallint[]`
    static let smallintArray = PostgresType(rawValue: 1005)
    /// `integer[]`
    static let integerArray = PostgresType(rawValue: 1007)
    /// `text[]`
    static let textArray = PostgresType(rawValue: 1009)
    /// `bigint[]`
    static let bigintArray = PostgresType(rawValue: 1016)
    /// `real[]`
    static let realArray = PostgresType(rawValue: 1021)
    /// `double precision[]`
    static let doubleArray = PostgresType(rawValue: 1022)
    /// `numeric[]`
    static let numericArray = PostgresType(rawValue: 1231)
    /// `uuid[]`
    static let uuidArray = PostgresType(rawValue: 2951)

    private static let all: [(element: PostgresType, array: PostgresType, name: String)] = [
        (.boolean, .booleanArray, "boolean"), (.bytea, .byteaArray, "bytea"),
        (.bigint, .bigintArray, "bigint"), (.smallint, .smallintArray, "smallint"),
        (.integer, .integerArray, "integer"), (.text, .textArray, "text"),
        (.real, .realArray, "real"), (.double, .doubleArray, "double precision"),
        (.numeric, .numericArray, "numeric"), (.uuid, .uuidArray, "uuid"),
    ]

    /// The name that casts use, such as `double precision[]`.
    var name: String {
        for type in Self.all {
            if type.element == self { return type.name }
            if type.array == self { return type.name + "[]" }
        }
        return "unknown"
    }

    /// The type of arrays of this type; an array's is itself.
    var array: PostgresType { Self.all.first { $0.element == self }?.array ?? self }

    /// The type of the elements of this array; nil for other types.
    var element: PostgresType? { Self.all.first { $0.array == self }?.element }
}
