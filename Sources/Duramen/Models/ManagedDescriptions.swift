public import DuramenModel
public import DuramenQuery

// The code that `@Managed` generates for `entityDescription` uses these declarations.

/// The numbers of a managed class's slots and to-manys, including its superclasses.
public struct ManagedLayout: Sendable, Hashable {
    /// The number of slots: attributes and to-ones.
    public let slots: Int
    /// The number of to-manys.
    public let toManys: Int
    /// The number of transient attributes.
    public let transients: Int

    /// Creates a layout.
    @inlinable public init(slots: Int, toManys: Int, transients: Int = 0) {
        self.slots = slots
        self.toManys = toManys
        self.transients = transients
    }
}

/// The names of a managed class's properties by key path, created once per class.
// Sound: key paths are immutable, and those of properties capture nothing.
public struct ManagedKeyPaths: @unchecked Sendable {
    private let names: [AnyKeyPath: String]

    /// Maps key paths to property names. For a ``CompositeValue`` it also maps the key paths of its
    /// elements, such as `\Quake.epicentre.latitude`. Elements of an optional composite are not
    /// mapped.
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

    /// Returns the property's name; nil for an unknown key path.
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
    /// Describes a transient attribute by its Swift type, one that stored attributes can have.
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

    /// Describes a transient attribute of any other Swift type. The accessor defines its initial
    /// value.
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
    /// Describes a to-one by the class of its destination.
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

    /// Describes a to-many by the class of its destination.
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
    /// The name of an inverse. For a key path that is not a property, a text that the model
    /// rejects.
    fileprivate static func inverseName(_ keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? "\(keyPath)"
    }
}

extension QueryableObject where Self: ManagedObject {
    /// Returns a request for all objects of the class's entity.
    public static func fetchRequest() -> FetchRequest<Self> { FetchRequest() }
}
