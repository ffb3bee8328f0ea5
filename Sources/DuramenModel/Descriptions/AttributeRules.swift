/// The rules that an attribute's values must fulfil when their object is saved, beside having the
/// right type.
///
/// Null fulfils every rule. Rules take no part in the version hash: stores do not know them, and
/// values that are stored already are checked when their object is changed next.
public struct AttributeRules: Sendable, Hashable {
    /// The smallest number or the earliest date; null for none.
    public var minimum: StoredValue = .null
    /// The largest number or the latest date; null for none.
    public var maximum: StoredValue = .null
    /// The smallest number of Unicode scalars in text.
    public var minimumLength: Int?
    /// The largest number of Unicode scalars in text.
    public var maximumLength: Int?
    /// A regular expression, in the syntax of Swift's `Regex`, that the whole text matches, scalar
    /// by scalar.
    ///
    /// Text of a wrong length is not matched. Give a ``maximumLength`` with a pattern that repeats
    /// repetitions: what it does not match can take time exponential in its length.
    public var pattern: String?
    /// Conditions, all of which hold.
    public var predicates: [ValidationPredicate] = []

    /// No rules.
    public init() {}

    /// Whether every value fulfils them.
    public var isEmpty: Bool { self == AttributeRules() }
}

extension AttributeDescription {
    /// Returns this attribute with limits for the length of texts and a pattern; see
    /// ``AttributeRules``.
    public func limited(
        minimumLength: Int? = nil, maximumLength: Int? = nil, pattern: String? = nil
    ) -> AttributeDescription {
        var copy = self
        copy.rules.minimumLength = minimumLength
        copy.rules.maximumLength = maximumLength
        copy.rules.pattern = pattern
        return copy
    }

    /// Returns this attribute with inclusive limits for numbers or dates; null for none.
    public func limited(
        minimum: StoredValue = .null, maximum: StoredValue = .null
    ) -> AttributeDescription {
        var copy = self
        copy.rules.minimum = minimum
        copy.rules.maximum = maximum
        return copy
    }
}
