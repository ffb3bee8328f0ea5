/// Names for Swift key paths that are no managed properties.
///
/// No property can be called so, since names with NUL are refused; binding finds the name and says
/// which key path it stands for. A typed predicate can thus be written without `try`.
enum UnmanagedKeyPath {
    private static let mark = "\u{0}"

    static func name(for keyPath: AnyKeyPath) -> String { "\(mark)\(keyPath)" }

    /// A name for an expression where only a property can stand.
    static func name(for expression: FetchExpression) -> String { "\(mark)\(expression)" }

    /// The Swift key path that a name stands for; nil for ordinary names.
    static func description(of name: String) -> String? {
        name.utf8.first == 0 ? String(name.dropFirst()) : nil
    }
}
