import DuramenModel

/// A text operator with the text or pattern to find, on UTF-8 bytes.
///
/// Every text contains the empty text, and begins and ends with it.
enum TextTest: Sendable {
    case contains([UInt8])
    case beginsWith([UInt8])
    case endsWith([UInt8])
    case like(LikePattern)
    case matches(RegularExpression)

    /// Creates a test; nil for an invalid regular expression.
    ///
    /// - Precondition: The operator is one of the five.
    init?(
        _ operator: PredicateComparison.Operator, _ text: StoredText,
        _ options: PredicateComparison.Options
    ) {
        // A regular expression folds its literals itself, and keeps its syntax.
        let sought = `operator` == .matches ? text : TextFolding.fold(text, options)
        switch `operator` {
        case .contains: self = .contains(Array(sought.string.utf8))
        case .beginsWith: self = .beginsWith(Array(sought.string.utf8))
        case .endsWith: self = .endsWith(Array(sought.string.utf8))
        case .like: self = .like(sought.withUTF8 { LikePattern($0) })
        case .matches:
            guard let pattern = try? RegularExpression(sought.string, options: options) else {
                return nil
            }
            self = .matches(pattern)
        default: preconditionFailure("Duramen: '\(`operator`)' is not an operator on text.")
        }
    }

    func holds(_ text: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .contains(let sought):
            sought.withUnsafeBytes { ByteSearch.first($0, in: text) != nil }
        case .beginsWith(let sought):
            sought.withUnsafeBytes { ByteSearch.stands($0, at: 0, in: text) }
        case .endsWith(let sought):
            sought.withUnsafeBytes { ByteSearch.stands($0, at: text.count - $0.count, in: text) }
        case .like(let pattern): pattern.matches(text)
        case .matches(let pattern): pattern.matches(text)
        }
    }
}
