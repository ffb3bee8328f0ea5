/// How stores compute a derived attribute of a resolved model.
public struct Derivation: Sendable, Hashable {
    /// The attribute, as the entity has it that declares it.
    public let attribute: Attribute
    /// The operation on the source.
    public let function: DerivationExpression.Function
    /// The to-ones that lead to the source, in order; empty where it is the object's own.
    public let toOnes: [Relationship]
    /// The to-many whose destinations are counted or have the source; nil for other functions.
    public let members: Relationship?
    /// The attribute that is read at the end; nil where no attribute is read.
    public let source: Attribute?

    /// The entity that declares the attribute; objects of sub-entities have it, too.
    public var entity: EntityID { attribute.declaringEntity }
}
