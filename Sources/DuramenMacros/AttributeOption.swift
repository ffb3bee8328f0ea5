/// An option of
/// ``Attribute(_:originalName:minimum:maximum:minimumLength:maximumLength:pattern:userInfo:)``.
///
/// The macro reads the option's name in the source, so it must be written as a literal member.
public struct AttributeOption: Sendable, Hashable {
    private let name: String

    /// No two objects of the entity have the same value; nil never conflicts.
    public static let unique = AttributeOption(name: "unique")

    /// The value is never stored. It lasts until the object becomes a fault, and may be of any
    /// Swift type. The property must be optional or have an initial value.
    public static let transient = AttributeOption(name: "transient")

    /// The attribute is a group of others: a struct marked ``Composite()``, or one that conforms to
    /// `CompositeValue`. Lists of `@Managed` name its elements by their paths, such as
    /// `"place.latitude"`.
    public static let composite = AttributeOption(name: "composite")

    /// The value is of any `Codable` type and stored as JSON; see `CodableType`. The property must
    /// be optional or have an initial value, which it has if no value is stored. Predicates can
    /// compare it only with nil.
    ///
    /// - Parameter identifier: The model's name for the type, a string literal. It is part of the
    ///   model's version; the name of the Swift type is not.
    public static func codable(_ identifier: String) -> AttributeOption {
        AttributeOption(name: "codable(\(identifier))")
    }

    /// The value is computed by stores, with each save that changes its sources, and cannot be set.
    /// The property must be optional or have an initial value, which a new object has until it is
    /// saved.
    ///
    /// ```swift
    /// @Attribute(.derived("items.price.@sum")) var total: Decimal = 0
    /// ```
    /// - Parameter expression: A string literal; see `DerivationExpression`.
    public static func derived(_ expression: String) -> AttributeOption {
        AttributeOption(name: "derived(\(expression))")
    }

    /// Stores keep an index over the attribute.
    public static let indexed = AttributeOption(name: "indexed")

    /// Stores may keep large values in files of their own; for attributes of type `Data`.
    public static let externalStorage = AttributeOption(name: "externalStorage")

    /// The value is kept in the history when its object is deleted.
    public static let preservesValueOnDeletion = AttributeOption(name: "preservesValueOnDeletion")

    /// The values are secrets, which are left out wherever values may be shown.
    public static let confidential = AttributeOption(name: "confidential")
}
