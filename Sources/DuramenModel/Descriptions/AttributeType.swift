/// The type of an attribute's values, with Core Data's numeric codes.
///
/// The set is open: later versions can add types without breaking a `switch`. Creating a model with
/// a type that this version cannot store fails with ``ModelError/Code/unsupported``.
public struct AttributeType: RawRepresentable, Hashable, Sendable, Codable {
    /// Core Data's code of the type (`NSAttributeType`).
    public let rawValue: Int16

    /// Creates a type from its code. Unknown codes are kept, but a model cannot use them.
    public init(rawValue: Int16) { self.rawValue = rawValue }

    /// Values of any Swift type, for transient attributes only.
    public static let undefined = AttributeType(rawValue: 0)
    /// Signed integers of 16 bits.
    public static let integer16 = AttributeType(rawValue: 100)
    /// Signed integers of 32 bits.
    public static let integer32 = AttributeType(rawValue: 200)
    /// Signed integers of 64 bits.
    public static let integer64 = AttributeType(rawValue: 300)
    /// Exact decimal numbers of up to 38 digits.
    public static let decimal = AttributeType(rawValue: 400)
    /// Floating-point numbers of 64 bits, without NaN.
    public static let double = AttributeType(rawValue: 500)
    /// Floating-point numbers of 32 bits, without NaN.
    public static let float = AttributeType(rawValue: 600)
    /// Text, compared by its UTF-8 bytes.
    public static let string = AttributeType(rawValue: 700)
    /// True or false.
    public static let boolean = AttributeType(rawValue: 800)
    /// Points in time, in seconds since 2001-01-01 00:00 UTC.
    public static let date = AttributeType(rawValue: 900)
    /// Bytes.
    public static let binaryData = AttributeType(rawValue: 1000)
    /// Identifiers of 128 bits.
    public static let uuid = AttributeType(rawValue: 1100)
    /// Uniform resource identifiers.
    public static let uri = AttributeType(rawValue: 1200)
    /// Values of a registered `Codable` type; see ``CodableType``.
    public static let transformable = AttributeType(rawValue: 1800)
    /// Identifiers of managed objects. Not yet supported.
    public static let objectID = AttributeType(rawValue: 2000)
    /// Groups of attributes; see `AttributeDescription.composite`.
    public static let composite = AttributeType(rawValue: 2100)

    /// The types that need only their name.
    public static let supported: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date,
        .binaryData, .uuid, .uri,
    ]
}

extension AttributeType: CustomStringConvertible {
    /// The name of the type in error messages.
    public var description: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binaryData: "Binary Data"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "Object ID"
        case .composite: "Composite"
        default: "attribute type \(rawValue)"
        }
    }
}
