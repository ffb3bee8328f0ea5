/// The expression that computes a derived attribute, as a model writes it.
///
/// ```
///   name                      a value of the object itself
///   owner.address.city        a value of an object behind to-one relationships
///   uppercase:(name)          lowercase:, canonical:   text at such a path, changed
///   localized:(name)          the key by which such text is sorted in localized order
///   items.@count              the number of objects of a to-many relationship
///   items.price.@sum          the sum of their values; null values are ignored
///   now()                     the date of the last save of the object
/// ```
/// These are the forms of Core Data's derived attributes. Duramen adds `localized:`.
public struct DerivationExpression: Sendable, Hashable {
    /// A function that is applied to the values at the end of the path.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// The value as it is.
        case copy
        /// Text in upper case.
        case uppercase = "uppercase:"
        /// Text in lower case.
        case lowercase = "lowercase:"
        /// Text without case and diacritical marks.
        case canonical = "canonical:"
        /// The sort key of text: bytes whose order is the localized order of the text.
        case localized = "localized:"
        /// The number of objects of a to-many relationship.
        case count = "@count"
        /// The sum of an attribute of these objects.
        case sum = "@sum"
        /// The date of the save.
        case now = "now()"
    }

    /// The function that is applied to the value at the end of the path.
    public let function: Function
    /// The names in the path to the source; empty for ``Function/now``.
    public let path: [String]

    /// Parses an expression; nil if it does not have one of the forms above.
    public init?(_ text: String) {
        let text = Self.withoutSpaces(text)
        if text == Function.now.rawValue {
            function = .now
            path = []
            return
        }
        for function in [Function.uppercase, .lowercase, .canonical, .localized] {
            let opening = function.rawValue + "("
            guard text.utf8.starts(with: opening.utf8) else { continue }
            let inner = text.utf8.dropFirst(opening.utf8.count)
            guard inner.last == UInt8(ascii: ")"),
                let path = Self.path(String(Substring(inner.dropLast())))
            else { return nil }
            self.function = function
            self.path = path
            return
        }
        var steps = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let last = steps.last.map { StoredText($0) }
        let aggregate = [Function.count, .sum].first { StoredText($0.rawValue) == last }
        if aggregate != nil { steps.removeLast() }
        guard let path = Self.path(steps.joined(separator: ".")),
            path.count >= (aggregate == .sum ? 2 : 1)
        else { return nil }
        function = aggregate ?? .copy
        self.path = path
    }

    /// Returns the names in a path; nil if the path has other characters.
    private static func path(_ text: String) -> [String]? {
        let names = text.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        let isPlain = names.allSatisfy { name in
            !name.isEmpty && !name.utf8.contains { "@:()$'\"".utf8.contains($0) }
        }
        return isPlain ? names : nil
    }

    private static func withoutSpaces(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.properties.isWhitespace }))
    }
}

extension DerivationExpression: CustomStringConvertible {
    /// The expression, as a model writes it.
    public var description: String {
        let path = path.joined(separator: ".")
        switch function {
        case .copy: return path
        case .now: return function.rawValue
        case .uppercase, .lowercase, .canonical, .localized:
            return "\(function.rawValue)(\(path))"
        case .count, .sum: return "\(path).\(function.rawValue)"
        }
    }
}
