/// An option of ``Attribute(_:originalName:userInfo:)``.
///
/// The macro reads the option's name in the source, so it must be written as a literal member.
public struct AttributeOption: Sendable, Hashable {
    private let name: String

    /// No two objects of the entity have the same value; nil never conflicts.
    public static let unique = AttributeOption(name: "unique")

    /// Stores keep an index over the attribute.
    public static let indexed = AttributeOption(name: "indexed")
}
