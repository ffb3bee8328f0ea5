/// An option of
/// `Attribute(_:originalName:minimum:maximum:minimumLength:maximumLength:pattern:userInfo:)`.
///
/// The macro reads the option's name in the source, so it must be written as a literal member.
public struct AttributeOption: Sendable, Hashable {
    private let name: String

    /// The value is unique among the objects of the entity; nil never conflicts.
    public static let unique = AttributeOption(name: "unique")

    /// The value is never stored, and lasts until the object becomes a fault. It may have any Swift
    /// type. The property must be optional or have an initial value.
    public static let transient = AttributeOption(name: "transient")

    /// The attribute is a group of attributes: a struct marked ``Composite()``, or one that
    /// conforms to `CompositeValue`. Lists of `@Managed` name its elements by their paths, such as
    /// `"place.latitude"`.
    public static let composite = AttributeOption(name: "composite")

    /// The value has any `Codable` type and is stored as JSON; see `CodableType`. The property must
    /// be optional or have an initial value, which it has if nothing is stored. Predicates can
    /// compare it only with nil.
    ///
    /// - Parameter identifier: The model's name for the type, a string literal. It is part of the
    ///   model's version; the name of the Swift type is not.
    public static func codable(_ identifier: String) -> AttributeOption {
        AttributeOption(name: "codable(\(identifier))")
    }

    /// Stores compute the value with each save that changes its sources. It cannot be set. The
    /// property must be optional or have an initial value, which a new object has until it is
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

    /// Stores may keep large values in separate files; for attributes of type `Data`.
    public static let externalStorage = AttributeOption(name: "externalStorage")

    /// The value is kept in the history when its object is deleted.
    public static let preservesValueOnDeletion = AttributeOption(name: "preservesValueOnDeletion")

    /// The values are secrets. They are left out of logs and descriptions.
    public static let confidential = AttributeOption(name: "confidential")
}
