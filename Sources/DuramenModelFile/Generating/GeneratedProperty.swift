import DuramenModel

/// A property of a generated class.
struct GeneratedProperty {
    enum Form {
        case attribute
        /// An attribute of a `Codable` type, stored as JSON.
        case codable
        case composite
        case transient
        case transientToOne
        case transientToMany
        case toOne
        case toMany
        case orderedToMany
        /// The result of a fetch request.
        case fetched
    }

    /// The property's name in the entity.
    let name: String
    /// The Swift name, without backticks.
    let identifier: String
    var form: Form
    /// The type without `?`.
    var type: String
    var isOptional: Bool
    /// The number among the properties of its kind.
    var place: Int
    /// Whether stores compute the value, so that it cannot be set.
    var isDerived = false
    /// The empty value of a transient attribute, as an expression.
    var initialValue: String?

    /// The Swift name, as a declaration writes it.
    var escaped: String { SwiftName.escaped(identifier) }

    /// Whether a property called `id` can identify its object. It cannot if its type may not be
    /// `Hashable`, or if it has many objects.
    var isIdentity: Bool { form == .attribute || form == .toOne }

    /// The declared type of the property.
    var declaredType: String {
        switch form {
        case .toMany: "ToMany<\(type)>"
        case .orderedToMany: "OrderedToMany<\(type)>"
        case .fetched, .transientToMany: "[\(type)]"
        default: isOptional ? (type.hasPrefix("any ") ? "(\(type))?" : "\(type)?") : type
        }
    }

    var getter: String {
        switch form {
        case .attribute: "attribute(at: \(place))"
        case .codable: "codable(at: \(place))"
        case .composite: "composite(at: \(place))"
        case .transient: "transient(at: \(place), default: \(initialValue ?? "nil"))"
        case .transientToOne: "transientToOne(at: \(place))"
        case .transientToMany: "transientToMany(at: \(place))"
        case .toOne: "toOne(at: \(place))"
        case .toMany: "toMany(at: \(place))"
        case .orderedToMany: "orderedToMany(at: \(place))"
        case .fetched: "fetched(\(SwiftName.quoted(name)))"
        }
    }

    /// The statement of the setter. Nil for to-manys, which are changed through their collections,
    /// and for derived and fetched properties.
    var setter: String? {
        if isDerived { return nil }
        switch form {
        case .attribute: return "setAttribute(newValue, at: \(place))"
        case .codable: return "setCodable(newValue, at: \(place))"
        case .composite: return "setComposite(newValue, at: \(place))"
        case .transient: return "setTransient(newValue, at: \(place))"
        case .transientToOne: return "setTransientToOne(newValue, at: \(place))"
        case .transientToMany: return "setTransientToMany(newValue, at: \(place))"
        case .toOne: return "setToOne(newValue, at: \(place))"
        case .toMany, .orderedToMany, .fetched: return nil
        }
    }
}
