/// The expression from which a derived attribute is computed, as a model writes it.
///
/// ```
///   name                      a value of the object itself
///   owner.address.city        a value behind to-ones
///   uppercase:(name)          lowercase:, canonical:   text at such a place, changed
///   localized:(name)          the key by which such text is sorted as names are
///   items.@count              how many objects a to-many leads to
///   items.price.@sum          the sum of their values; null ones count for nothing
///   now()                     when the object was saved last
/// ```
/// These are the forms of Core Data's derived attributes, and `localized:`, which is ours.
public struct DerivationExpression: Sendable, Hashable {
    /// The operation on the value or objects at the end of the path.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// The value as it is.
        case copy
        /// Text in capitals.
        case uppercase = "uppercase:"
        /// Text in small letters.
        case lowercase = "lowercase:"
        /// Text without regard to case and marks.
        case canonical = "canonical:"
        /// The key of text: bytes that are in the order in which people look names up.
        case localized = "localized:"
        /// The number of objects that a to-many leads to.
        case count = "@count"
        /// The sum of values of these objects.
        case sum = "@sum"
        /// The time of the save.
        case now = "now()"
    }

    /// The operation.
    public let function: Function
    /// The names on the way to what it is done with; empty for ``Function/now``.
    public let path: [String]

    /// Reads an expression; nil when it has none of the forms above.
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

    /// The names of a path; nil when there is something else in it.
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
