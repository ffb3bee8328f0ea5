/// How the elements of a feed become objects of a class.
///
/// A key of an element sets the property of its name. The mapping is for everything else:
/// ```swift
/// $0.match(\.isbn)
/// $0.rename("fullTitle", to: \.title)
/// $0.relationship(\.author) { $0.match(\.name) }
/// ```
public struct ImportMapping<Object: ManagedObject> {
    var rules: ImportRules

    init(_ rules: ImportRules = ImportRules()) { self.rules = rules }

    // MARK: - Names

    /// Names the attributes whose values tell which object an element is: the natural key. Without
    /// a call it is the entity's first uniqueness constraint.
    public mutating func match(_ attributes: PartialKeyPath<Object>...) {
        rules.match = attributes.map(Self.name)
    }

    /// Names the attributes of the natural key by their names.
    public mutating func match(_ attributes: [String]) { rules.match = attributes }

    /// Takes the value of a property from another key.
    ///
    /// - Parameters:
    ///   - key: A key of the element, keys of nested elements with dots between them, or a JSON
    ///     pointer into the element that begins with `/`, such as `/geometry/coordinates/0`. A key
    ///     that has dots itself needs a pointer.
    ///   - property: The attribute or relationship.
    public mutating func rename(_ key: String, to property: PartialKeyPath<Object>) {
        rules.sources[Self.name(property)] = key
    }

    /// Takes the value of a property, which is named in words, from another key; see
    /// ``rename(_:to:)-(String,PartialKeyPath<Object>)``.
    public mutating func rename(_ key: String, to property: String) {
        rules.sources[property] = key
    }

    /// Leaves properties as they are, whatever the feed has.
    public mutating func ignore(_ properties: PartialKeyPath<Object>...) {
        for property in properties { rules.ignored.insert(Self.name(property)) }
    }

    // MARK: - Values

    /// Says the form of dates.
    ///
    /// - Parameters:
    ///   - format: The form.
    ///   - attributes: The attributes with this form; all others when there are none.
    public mutating func date(
        _ format: ImportDateFormat, for attributes: PartialKeyPath<Object>...
    ) {
        if attributes.isEmpty { rules.dateFormat = format }
        for attribute in attributes { rules.dateFormats[Self.name(attribute)] = format }
    }

    /// The treatment of properties that an element does not have.
    public var missing: ImportMissing {
        get { rules.missing }
        set { rules.missing = newValue }
    }

    /// Says the treatment of properties that an element does not have, for some of them.
    public mutating func missing(
        _ treatment: ImportMissing, for properties: PartialKeyPath<Object>...
    ) {
        for property in properties { rules.missingOf[Self.name(property)] = treatment }
    }

    // MARK: - Relationships

    /// The treatment of the destinations that a to-many has and an element does not name.
    public var toMany: ImportToMany {
        get { rules.toMany }
        set { rules.toMany = newValue }
    }

    /// Says how the destinations of a to-one are found. The feed has an object, or the value of its
    /// natural key.
    public mutating func relationship<Destination: ManagedObject>(
        _ property: KeyPath<Object, Destination?>,
        _ mapping: (inout ImportMapping<Destination>) -> Void
    ) {
        add(property, mapping)
    }

    /// Says how the destinations of a to-many are found. The feed has an array of objects, or of
    /// values of their natural key.
    public mutating func relationship<Destination: ManagedObject>(
        _ property: KeyPath<Object, ToMany<Destination>>,
        _ mapping: (inout ImportMapping<Destination>) -> Void
    ) {
        add(property, mapping)
    }

    /// Says how the destinations of an ordered to-many are found. The order of the array is kept.
    public mutating func relationship<Destination: ManagedObject>(
        _ property: KeyPath<Object, OrderedToMany<Destination>>,
        _ mapping: (inout ImportMapping<Destination>) -> Void
    ) {
        add(property, mapping)
    }

    /// Says how the destinations of a relationship, which is named in words, are found.
    public mutating func relationship(
        _ property: String, _ mapping: (inout ImportMapping<ManagedObject>) -> Void
    ) {
        var destination = ImportMapping<ManagedObject>()
        mapping(&destination)
        rules.relationships[property] = destination.rules
    }

    private mutating func add<Destination: ManagedObject>(
        _ property: PartialKeyPath<Object>,
        _ mapping: (inout ImportMapping<Destination>) -> Void
    ) {
        var destination = ImportMapping<Destination>()
        mapping(&destination)
        rules.relationships[Self.name(property)] = destination.rules
    }

    /// An unknown key path has a name that no entity has, and is refused with it.
    private static func name(_ path: PartialKeyPath<Object>) -> String {
        Object.propertyName(for: path) ?? "\(path)"
    }
}

@available(*, unavailable, message: "a mapping is good for one import; make it there")
extension ImportMapping: Sendable {}

/// The treatment of properties that an element does not have.
public enum ImportMissing: Sendable, Hashable {
    /// The property keeps its value.
    case keep
    /// An attribute becomes nil, and a relationship loses its destinations.
    case setNil
}

/// The treatment of destinations that a to-many has and an element does not name.
public enum ImportToMany: Sendable, Hashable {
    /// They are taken out, so that the to-many is what the element says.
    case replace
    /// They stay.
    case union
}

/// A mapping by the names of properties.
struct ImportRules {
    var match: [String]?
    /// The keys or pointers of properties that are not under their own names.
    var sources: [String: String] = [:]
    var ignored: Set<String> = []
    var dateFormat: ImportDateFormat?
    var dateFormats: [String: ImportDateFormat] = [:]
    var missing = ImportMissing.keep
    var missingOf: [String: ImportMissing] = [:]
    var toMany = ImportToMany.replace
    var relationships: [String: ImportRules] = [:]
}
