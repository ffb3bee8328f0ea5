import DuramenModel

/// Returns the source of types, qualified if a class of the model has the same name.
struct TypeNames {
    /// The classes and structs of the model.
    let own: Set<String>

    /// Returns a type of the library.
    func library(_ name: String) -> String { own.contains(name) ? "Duramen.\(name)" : name }

    /// Returns a type of the standard library.
    func standard(_ name: String) -> String { own.contains(name) ? "Swift.\(name)" : name }

    /// Returns a type of Foundation.
    func foundation(_ name: String) -> String { own.contains(name) ? "Foundation.\(name)" : name }

    /// Returns the Swift type of an attribute's values.
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

    /// Returns whether a type, as written here, is a Foundation type.
    static func isOfFoundation(_ name: String) -> Bool {
        ["Decimal", "Date", "UUID", "URL", "Data"].contains(name) || name.hasPrefix("Foundation.")
    }
}
