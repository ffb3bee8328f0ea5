/// A composite attribute of a resolved model: a group of attributes with separate slots.
public struct CompositeAttribute: Sendable, Hashable {
    /// An attribute of the group.
    public enum Element: Sendable, Hashable {
        /// An attribute. Even a mandatory element may be null while a composite around it is null.
        case attribute(Attribute)
        /// A group within the group.
        case composite(CompositeAttribute)

        /// The path to the element.
        public var name: String {
            switch self {
            case .attribute(let attribute): attribute.name
            case .composite(let composite): composite.name
            }
        }
    }

    /// The property's name. The name of a composite within another composite is its path.
    public let name: String
    /// Whether all elements may be null together, even if some of them are mandatory.
    public let isOptional: Bool
    /// The elements of the group, in the order of their names.
    public let elements: [Element]
    /// The slots in a row that have the elements.
    public let slots: Range<Int>
    /// The entity that declares the attribute.
    public let declaringEntity: EntityID
    /// The name in an earlier version of the model.
    public let renamingIdentifier: String?
    /// Notes of the application.
    public let userInfo: [String: String]

    /// All attributes in the group and in nested groups, in the order of their slots.
    public var attributes: [Attribute] {
        elements.flatMap { element in
            switch element {
            case .attribute(let attribute): [attribute]
            case .composite(let composite): composite.attributes
            }
        }
    }

    /// The composite and all composites within it.
    var withNested: [CompositeAttribute] {
        var result = [self]
        for case .composite(let composite) in elements { result += composite.withNested }
        return result
    }
}
