/// How stores compute a derived attribute of a resolved model.
public struct Derivation: Sendable, Hashable {
    /// The attribute in the entity that declares it.
    public let attribute: Attribute
    /// The function that is applied to the source.
    public let function: DerivationExpression.Function
    /// The to-one relationships on the path to the source, in order; empty for an attribute of the
    /// object itself.
    public let toOnes: [Relationship]
    /// The to-many relationship whose destinations are counted or summed; nil for other functions.
    public let members: Relationship?
    /// The attribute at the end of the path; nil if the function uses no attribute.
    public let source: Attribute?

    /// The entity that declares the attribute. Objects of its sub-entities have the attribute too.
    public var entity: EntityID { attribute.declaringEntity }
}
