/// A condition that an attribute's values must meet when their object is saved.
public struct ValidationPredicate: Sendable, Hashable {
    /// The condition, as a format string without variables, in which `SELF` is the value: `"SELF
    /// BEGINSWITH 'x'"`.
    public var format: String
    /// The message for a value that does not meet the condition, with the remedy; nil for a general
    /// message.
    public var warning: String?

    /// Describes a condition.
    public init(_ format: String, warning: String? = nil) {
        self.format = format
        self.warning = warning
    }
}

extension AttributeDescription {
    /// Returns this attribute with an additional condition for its values. Null meets every
    /// condition.
    ///
    /// ```swift
    /// AttributeDescription("code", .string)
    ///     .validated(by: "SELF LIKE 'A-*'", warning: "codes begin with A-")
    /// ```
    /// - Parameters:
    ///   - format: See ``ValidationPredicate/format``. Creating a container fails if the text is
    ///     not a valid predicate.
    ///   - warning: See ``ValidationPredicate/warning``.
    public func validated(by format: String, warning: String? = nil) -> AttributeDescription {
        var copy = self
        copy.rules.predicates.append(ValidationPredicate(format, warning: warning))
        return copy
    }
}
