/// The rules that an attribute's values must meet when their object is saved, in addition to having
/// the right type.
///
/// Null meets every rule. Rules are not part of the version hash, because stores do not know them.
/// Values that are already stored are checked at the next change of their object.
public struct AttributeRules: Sendable, Hashable {
    /// The smallest number or the earliest date; null for none.
    public var minimum: StoredValue = .null
    /// The largest number or the latest date; null for none.
    public var maximum: StoredValue = .null
    /// The smallest number of Unicode scalars in text.
    public var minimumLength: Int?
    /// The largest number of Unicode scalars in text.
    public var maximumLength: Int?
    /// A regular expression, in the syntax of Swift's `Regex`, that the whole text must match,
    /// scalar by scalar.
    ///
    /// Text of a wrong length is not matched. Set a ``maximumLength`` if the pattern nests
    /// repetitions: a failing match can take time exponential in the length of the text.
    public var pattern: String?
    /// Conditions, all of which must hold.
    public var predicates: [ValidationPredicate] = []

    /// Creates rules that every value meets.
    public init() {}

    /// Whether every value meets the rules.
    public var isEmpty: Bool { self == AttributeRules() }
}

extension AttributeDescription {
    /// Returns this attribute with limits for the length of texts, and a pattern; see
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
