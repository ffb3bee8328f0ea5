/// Converts names to Swift source.
enum SwiftName {
    /// Returns the name as a declaration writes it: between backticks if it is a keyword.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Returns a valid Swift name that is close to the wanted name and not taken.
    static func unique(_ wanted: String, besides taken: Set<String>) -> String {
        var name = identifier(wanted)
        while taken.contains(name) { name += "_" }
        return name
    }

    /// Returns the name with underscores for characters that are not permitted in Swift names.
    static func identifier(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { scalar in
            scalar == "_" || scalar.properties.isXIDContinue ? Character(scalar) : "_"
        }
        let result = String(scalars)
        guard let first = result.unicodeScalars.first else { return "_" }
        if result == "_" { return "__" }
        return first == "_" || first.properties.isXIDStart ? result : "_" + result
    }

    /// Returns a name with a lowercase first letter, or letters if it begins with several capitals:
    /// `URLs` becomes `urls`.
    static func lowercasedFirst(_ name: String) -> String {
        let head = name.prefix { $0.isUppercase }
        // The last of several capitals begins the next word, as in `URLCache`.
        let count = head.count > 1 && head.count < name.count ? head.count - 1 : head.count
        return name.prefix(count).lowercased() + name.dropFirst(count)
    }

    /// Returns a text as a literal.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // Control characters, and characters that affect their neighbours, are written by
            // number.
            case _
            where scalar.value < 0x20 || scalar.properties.generalCategory == .format
                || scalar.properties.generalCategory == .control
                || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    // The language's reserved words (The Swift Programming Language, "Lexical Structure"), and two
    // names that members cannot have.
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case",
        "catch",
        "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
        "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
        "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol",
        "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Names that a property of a managed class cannot have, since `ManagedObject` or generated
    /// code has a member with that name.
    static let ofManagedObject: Set<String> = [
        "changedValues", "debugDescription", "description", "entity", "faultError", "faultingState",
        "hasChanges", "hasPersistentChangedValues", "hash", "hashValue", "isDeleted",
        "isFault",
        "isGone", "isInserted", "isUpdated", "managedObjectContext", "objectID", "queryObjectID",
        "self",
        "superValues", "values", "init",
    ]
}
