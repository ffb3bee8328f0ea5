/// Names as Swift source has them.
enum SwiftName {
    /// The name as a declaration writes it: between backticks where it is a word of the language.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A name that Swift takes, as near to the wanted one as can be, and none of those that are
    /// taken.
    static func unique(_ wanted: String, besides taken: Set<String>) -> String {
        var name = identifier(wanted)
        while taken.contains(name) { name += "_" }
        return name
    }

    /// The name with underscores for what no Swift name has.
    static func identifier(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { scalar in
            scalar == "_" || scalar.properties.isXIDContinue ? Character(scalar) : "_"
        }
        let result = String(scalars)
        guard let first = result.unicodeScalars.first else { return "_" }
        if result == "_" { return "__" }
        return first == "_" || first.properties.isXIDStart ? result : "_" + result
    }

    /// A name with a small first letter, or letters when it begins with several great ones: `URLs`
    /// is `urls`.
    static func lowercasedFirst(_ name: String) -> String {
        let head = name.prefix { $0.isUppercase }
        // The last of several begins the next word, as in `URLCache`.
        let count = head.count > 1 && head.count < name.count ? head.count - 1 : head.count
        return name.prefix(count).lowercased() + name.dropFirst(count)
    }

    /// A text as a literal.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // Control characters and those that change what is around them are written by number.
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

    // The language's reserved words (The Swift Programming Language, "Lexical Structure"), and the
    // two that a member cannot be called.
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

    /// Names that a property of a managed class cannot have, since `ManagedObject` or what is
    /// generated has a member of that name.
    static let ofManagedObject: Set<String> = [
        "changedValues", "debugDescription", "description", "entity", "faultError", "faultingState",
        "hasChanges", "hasPersistentChangedValues", "hash", "hashValue", "isDeleted",
        "isFault",
        "isGone", "isInserted", "isUpdated", "managedObjectContext", "objectID", "queryObjectID",
        "self",
        "superValues", "values", "init",
    ]
}
