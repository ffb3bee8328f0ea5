/// An option of ``Relationship(_:inverse:deleteRule:originalName:)``.
///
/// The macro reads the option's name in the source, so it must be written as a literal member.
public struct RelationshipOption: Sendable, Hashable {
    private let name: String

    /// A to-one relationship must have a value when the object is saved.
    public static let required = RelationshipOption(name: "required")
    /// The relationship is its own inverse, like one to friends, who are friends of each other.
    public static let ownInverse = RelationshipOption(name: "ownInverse")
}
