import DuramenModel

/// A property of a generated class.
struct GeneratedProperty {
    enum Form {
        case attribute
        /// Of a `Codable` type, stored as JSON.
        case codable
        case composite
        case transient
        case transientToOne
        case transientToMany
        case toOne
        case toMany
        case orderedToMany
        /// What a request gives.
        case fetched
    }

    /// The property's name in the entity.
    let name: String
    /// The name in Swift, without backticks.
    let identifier: String
    var form: Form
    /// The type without `?`.
    var type: String
    var isOptional: Bool
    /// The number among its kind.
    var place: Int
    /// Whether stores compute it, so that nobody sets it.
    var isDerived = false
    /// What a transient attribute is without a value, as an expression.
    var initialValue: String?

    /// The name as a declaration writes it.
    var escaped: String { SwiftName.escaped(identifier) }

    /// Whether a property called `id` can identify its object: not one whose type need not be
    /// `Hashable`, and none with many objects.
    var isIdentity: Bool { form == .attribute || form == .toOne }

    /// The type that the property has.
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

    /// Nil for to-manys, which are changed through their collections, and for what is derived or
    /// fetched.
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
