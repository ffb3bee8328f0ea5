/// Creates names for Swift key paths that are not managed properties.
///
/// No property can have such a name, since names with NUL are not permitted. Binding finds the name
/// and reports its key path. So a typed predicate needs no `try`.
enum UnmanagedKeyPath {
    private static let mark = "\u{0}"

    static func name(for keyPath: AnyKeyPath) -> String { "\(mark)\(keyPath)" }

    /// Returns a name for an expression where only a property is permitted.
    static func name(for expression: FetchExpression) -> String { "\(mark)\(expression)" }

    /// Returns the Swift key path for a name; nil for ordinary names.
    static func description(of name: String) -> String? {
        name.utf8.first == 0 ? String(name.dropFirst()) : nil
    }
}
