public import Duramen

/// Makes a class a managed class: its stored properties become the properties of an entity.
///
/// The class inherits from `ManagedObject`, or from another managed class, whose entity becomes the
/// super-entity. Each stored property is an attribute, unless it is marked `@Relationship`. Its
/// initial value is the attribute's default value, computed once for the model. Static, computed
/// and unmarked private properties are not changed.
///
/// The class conforms to `Identifiable`. Its objects are identified by their `objectID`, unless the
/// class has a property called `id`.
///
/// - Parameters:
///   - entity: The name of the entity; by default the name of the class.
///   - abstract: Whether only sub-entities can have objects.
///   - renamedFrom: The entity's name in the previous version of the model.
///   - unique: Lists of attributes and to-ones whose values together must be unique. An element of
///     a composite is named by its path, such as `"place.latitude"`.
///   - indexes: Lists of properties that are indexed together.
///   - values: Whether the class gets a nested struct `Values` (see `ManagedValues`), and a final
///     class the property `values`. A class that declares `Values` itself gets neither.
///   - userInfo: Notes of the application about the entity.
@attached(
    member, names: named(entityName), named(entityDescription), named(propertyName(for:)),
    named(overriddenHooks(of:)),
    named(init(_:)), named(Values), named(values),
    prefixed(managedLayout_), prefixed(managedKeyPaths_), prefixed(managedPropertyNames_))
@attached(memberAttribute)
@attached(extension, conformances: Identifiable, names: named(ID))
public macro Managed(
    entity: String? = nil,
    abstract: Bool = false,
    renamedFrom: String? = nil,
    unique: [[String]] = [],
    indexes: [[String]] = [],
    values: Bool = true,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "DuramenMacrosPlugin", type: "ManagedMacro")

/// Adds options to an attribute of a managed class. An attribute without options needs no marker.
///
/// - Parameters:
///   - options: For example `.unique` or `.indexed`.
///   - originalName: The attribute's name in the previous version of the model.
///   - minimum: The smallest number or earliest date that can be saved, of the attribute's type.
///   - maximum: The largest number or latest date that can be saved, of the attribute's type.
///   - minimumLength: The smallest number of Unicode scalars of a text that can be saved.
///   - maximumLength: The largest number of Unicode scalars of a text that can be saved.
///   - pattern: A regular expression that the whole text must match; see `AttributeRules`.
///   - userInfo: Notes of the application about the attribute.
@attached(peer)
public macro Attribute(
    _ options: AttributeOption...,
    originalName: String? = nil,
    minimum: (any AttributeValue)? = nil,
    maximum: (any AttributeValue)? = nil,
    minimumLength: Int? = nil,
    maximumLength: Int? = nil,
    pattern: String? = nil,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "DuramenMacrosPlugin", type: "AttributeMarkerMacro")

/// Makes a property of a managed class a relationship. A to-one is `X?`, a to-many is `ToMany<X>`,
/// and an ordered to-many, whose order the application determines, is `OrderedToMany<X>`.
///
/// - Parameters:
///   - options: `.required` for a to-one relationship that must have a value when saved;
///     `.ownInverse` for a relationship that is its own inverse.
///   - inverse: The inverse property, as a key path literal of one step. Name it on one side only,
///     since the compiler reports a circular reference otherwise. If neither side names it, the
///     relationship has no inverse, unless `.ownInverse` is set.
///   - deleteRule: The effect on the destinations when the object is deleted.
///   - minimumCount: The smallest number of destinations of a to-many when it is saved. With 1 or
///     more, it may not be empty.
///   - maximumCount: The largest number of destinations of a to-many.
///   - values: Whether a to-many is part of the class's `Values`; to-ones always are.
///   - originalName: The relationship's name in the previous version of the model.
@attached(peer)
public macro Relationship<Source: ManagedObject, Property: RelationshipProperty>(
    _ options: RelationshipOption...,
    inverse: KeyPath<Source, Property>,
    deleteRule: DeleteRule = .nullify,
    minimumCount: Int = 0,
    maximumCount: Int? = nil,
    values: Bool = false,
    originalName: String? = nil
) = #externalMacro(module: "DuramenMacrosPlugin", type: "RelationshipMarkerMacro")

/// Makes a property of a managed class a relationship without an inverse, or with an inverse that
/// the other side names; see
/// `Relationship(_:inverse:deleteRule:minimumCount:maximumCount:values:originalName:)`.
@attached(peer)
public macro Relationship(
    _ options: RelationshipOption...,
    deleteRule: DeleteRule = .nullify,
    minimumCount: Int = 0,
    maximumCount: Int? = nil,
    values: Bool = false,
    originalName: String? = nil
) = #externalMacro(module: "DuramenMacrosPlugin", type: "RelationshipMarkerMacro")

/// Reports an error for a key path of an attribute.
@available(
    *, unavailable,
    message:
        "the key path after 'inverse:' names an attribute, or the other class does not compile. Correct the errors of that class, and name its relationship that refers back to this one"
)
@attached(peer)
public macro Relationship(
    _ options: RelationshipOption...,
    inverse: AnyKeyPath?,
    deleteRule: DeleteRule = .nullify,
    minimumCount: Int = 0,
    maximumCount: Int? = nil,
    values: Bool = false,
    originalName: String? = nil
) = #externalMacro(module: "DuramenMacrosPlugin", type: "RelationshipMarkerMacro")

/// Assigns a slot number to a property. ``Managed`` attaches this macro; do not write it yourself.
///
/// - Parameters:
///   - slot: The number among the class's own properties of its kind.
///   - superclass: The managed superclass, whose properties come first.
@attached(accessor, names: named(get), named(set))
public macro _ManagedSlot(
    _ slot: Int, after superclass: ManagedObject.Type? = nil
) = #externalMacro(module: "DuramenMacrosPlugin", type: "ManagedSlotMacro")
