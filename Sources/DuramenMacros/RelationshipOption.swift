/// An option of the `@Relationship` macro.
///
/// The macro reads the option's name in the source, so it must be written as a literal member.
public struct RelationshipOption: Sendable, Hashable {
    private let name: String

    /// A to-one relationship must have a value when the object is saved.
    public static let required = RelationshipOption(name: "required")
    /// The relationship is its own inverse, such as a relationship between friends.
    public static let ownInverse = RelationshipOption(name: "ownInverse")
}
