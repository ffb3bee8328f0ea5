/// Quoting of names and texts in statements, equal in all engines.
package enum SQLQuoting {
    /// Returns an identifier in quotes.
    package static func identifier(_ name: String) -> String { enclose(name, in: "\"") }

    /// Returns a text as a literal.
    package static func literal(_ text: String) -> String { enclose(text, in: "'") }

    /// Doubles each mark. Scalars are compared, since a mark and an accent behind it are one
    /// character to Swift and two to the engine.
    private static func enclose(_ text: String, in mark: Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView([mark])
        for scalar in text.unicodeScalars {
            if scalar == mark { result.append(mark) }
            result.append(scalar)
        }
        result.append(mark)
        return String(result)
    }
}
