/// A demand that a change of the model makes on the links of an old relationship.
public struct LinkChange: Sendable, Hashable {
    /// The kind of demand.
    public enum Demand: Sendable, Hashable {
        /// No object may be linked, since what comes instead leads somewhere else.
        case none
        /// Every object that is linked to may only be of an entity of the new model or below it.
        case within(EntityID)
        /// No object may be linked to more than one other. The new model has a to-one for these
        /// links; the old model kept them at the other end, or as pairs.
        case single(RelationshipID)
    }

    /// The relationship, in the old model.
    public let relationship: RelationshipID
    /// The demand on the links.
    public let demand: Demand
}
