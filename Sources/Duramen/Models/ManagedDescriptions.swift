public import DuramenModel
public import DuramenQuery

// What `@Managed` writes into `entityDescription`.

/// How many slots and to-manys a managed class has, its ancestors' included.
public struct ManagedLayout: Sendable, Hashable {
    /// Attributes and to-ones.
    public let slots: Int
    /// To-manys.
    public let toManys: Int
    /// Transient attributes.
    public let transients: Int

    /// Counts properties.
    @inlinable public init(slots: Int, toManys: Int, transients: Int = 0) {
        self.slots = slots
        self.toManys = toManys
        self.transients = transients
    }
}

/// The names of a managed class's properties by key path, made once per class.
// Sound: key paths are immutable, and those of properties capture nothing.
public struct ManagedKeyPaths: @unchecked Sendable {
    private let names: [AnyKeyPath: String]

    /// Maps key paths to property names. A key path to a ``CompositeValue`` also maps its elements:
    /// beside `\Quake.epicentre` also `\Quake.epicentre.latitude`. Elements behind an optional are
    /// not mapped.
    public init(_ names: [AnyKeyPath: String]) {
        var all = names
        for (keyPath, name) in names {
            guard let composite = type(of: keyPath).valueType as? any CompositeValue.Type else {
                continue
            }
            for (rest, element) in composite.elementKeyPaths {
                if let whole = keyPath.appending(path: rest) { all[whole] = "\(name).\(element)" }
            }
        }
        self.names = all
    }

    /// All key paths with their names.
    var all: [AnyKeyPath: String] { names }

    /// The property's name; nil for an unknown key path.
    public subscript(keyPath: AnyKeyPath) -> String? { names[keyPath] }
}

extension AttributeDescription {
    /// Describes an attribute by its Swift type.
    public static func of<Value: AttributeValue>(
        _ type: Value.Type, name: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        AttributeDescription(
            name, Value.attributeType, isOptional: false,
            default: defaultValue?.storedValue ?? .null, renamingIdentifier: renamingIdentifier,
            userInfo: userInfo)
    }
}

extension AttributeDescription {
    /// Describes an optional attribute by its Swift type.
    public static func of<Value: AttributeValue>(
        _ type: Value?.Type, name: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        var description = of(
            Value.self, name: name, default: defaultValue, renamingIdentifier: renamingIdentifier,
            userInfo: userInfo)
        description.isOptional = true
        return description
    }
}

extension AttributeDescription {
    /// Describes a transient attribute by its Swift type, which is one that attributes can have.
    public static func transient<Value: AttributeValue>(
        _ type: Value.Type, name: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        var description = of(
            type, name: name, default: defaultValue, renamingIdentifier: renamingIdentifier,
            userInfo: userInfo)
        description.isTransient = true
        return description
    }

    /// Describes an optional transient attribute by its Swift type.
    public static func transient<Value: AttributeValue>(
        _ type: Value?.Type, name: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        var description = of(
            type, name: name, default: defaultValue, renamingIdentifier: renamingIdentifier,
            userInfo: userInfo)
        description.isTransient = true
        return description
    }

    /// Describes a transient attribute of any other Swift type. The accessor decides which value it
    /// has at first.
    public static func transient<Value>(
        _ type: Value.Type, name: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        AttributeDescription(
            name, .undefined, isOptional: true, isTransient: true,
            renamingIdentifier: renamingIdentifier, userInfo: userInfo)
    }
}

extension RelationshipDescription {
    /// Describes a to-one by the class at the other end.
    public static func toOne<Destination: ManagedObject>(
        _ name: String, destination: Destination.Type, isOptional: Bool = true,
        deleteRule: DeleteRule = .nullify, inverse: PartialKeyPath<Destination>? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> RelationshipDescription {
        .toOne(
            name, destination: Destination.entityName, isOptional: isOptional,
            deleteRule: deleteRule, inverse: inverse.map(Destination.inverseName),
            renamingIdentifier: renamingIdentifier, userInfo: userInfo)
    }

    /// Describes a to-many by the class at the other end.
    public static func toMany<Destination: ManagedObject>(
        _ name: String, destination: Destination.Type, isOptional: Bool = true,
        deleteRule: DeleteRule = .nullify, inverse: PartialKeyPath<Destination>? = nil,
        isOrdered: Bool = false, minimumCount: Int = 0, maximumCount: Int? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> RelationshipDescription {
        .toMany(
            name, destination: Destination.entityName, isOptional: isOptional,
            deleteRule: deleteRule, inverse: inverse.map(Destination.inverseName),
            isOrdered: isOrdered, minimumCount: minimumCount, maximumCount: maximumCount,
            renamingIdentifier: renamingIdentifier, userInfo: userInfo)
    }
}

extension ManagedObject {
    /// The name of an inverse; a key path that is no property is kept as text for the model to
    /// refuse.
    fileprivate static func inverseName(_ keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? "\(keyPath)"
    }
}

extension QueryableObject where Self: ManagedObject {
    /// A request for all objects of the class's entity.
    public static func fetchRequest() -> FetchRequest<Self> { FetchRequest() }
}
