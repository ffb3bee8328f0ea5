import DuramenModel

/// How types are written where a class of the model may have the same name.
struct TypeNames {
    /// The classes and structs that the model brings.
    let own: Set<String>

    /// A type of the library.
    func library(_ name: String) -> String { own.contains(name) ? "Duramen.\(name)" : name }

    /// A type of the standard library.
    func standard(_ name: String) -> String { own.contains(name) ? "Swift.\(name)" : name }

    /// A type of Foundation.
    func foundation(_ name: String) -> String { own.contains(name) ? "Foundation.\(name)" : name }

    /// The Swift type of an attribute's values.
    func name(of type: AttributeType) -> String {
        switch type {
        case .integer16: standard("Int16")
        case .integer32: standard("Int32")
        case .integer64: standard("Int64")
        case .double: standard("Double")
        case .float: standard("Float")
        case .string: standard("String")
        case .boolean: standard("Bool")
        case .decimal: foundation("Decimal")
        case .date: foundation("Date")
        case .uuid: foundation("UUID")
        case .uri: foundation("URL")
        case .binaryData, .transformable: foundation("Data")
        default: "any Sendable"
        }
    }

    /// Whether a type, as it is written here, is one of Foundation's.
    static func isOfFoundation(_ name: String) -> Bool {
        ["Decimal", "Date", "UUID", "URL", "Data"].contains(name) || name.hasPrefix("Foundation.")
    }
}
