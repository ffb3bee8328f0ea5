/// A condition that a change of the model sets for the links of an old relationship.
public struct LinkChange: Sendable, Hashable {
    /// A kind of condition.
    public enum Demand: Sendable, Hashable {
        /// No links may exist, because the relationship now refers to other objects.
        case none
        /// Every linked object must belong to this entity of the new model, or to a sub-entity of
        /// it.
        case within(EntityID)
        /// Every object may be linked to at most one other. The new model has a to-one for these
        /// links; the old model kept them at the other end, or as pairs.
        case single(RelationshipID)
    }

    /// The relationship, in the old model.
    public let relationship: RelationshipID
    /// The condition that the links must meet.
    public let demand: Demand
}
