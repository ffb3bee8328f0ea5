import Duramen

/// Where something is: a composite with one within it.
struct Location: CompositeValue, Equatable {
    struct Grid: CompositeValue, Equatable {
        var square = ""
        var zone = 0

        static let elements = CompositeElements<Grid>(
            .attribute("zone", \.zone), .attribute("square", \.square, default: "-"))
    }

    var latitude = 0.0
    var longitude = 0.0
    var height: Double?
    var grid: Grid?
    var status = QuakeStatus.automatic
    var names: [String] = []

    static let elements = CompositeElements<Location>(
        .attribute("latitude", \.latitude), .attribute("longitude", \.longitude),
        .attribute("height", \.height), .composite("grid", \.grid),
        .attribute("status", \.status, default: .automatic),
        .codable("names", \.names, identifier: "Names", initial: [], default: []))
}

/// A value of a type of one's own, encoded as a whole.
struct Instrument: Codable, Sendable, Equatable {
    var name: String
    var heights: [Double]
}

/// An object with composites and encoded values.
///
/// Slots: code 0; epicentre 1 to 7: grid.square, grid.zone, height, latitude, longitude, names,
/// status; origin 8 to 14; station 15; tags 16.
final class Shock: ManagedObject {
    var code: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var epicentre: Location {
        get { composite(at: 1) }
        set { setComposite(newValue, at: 1) }
    }
    var origin: Location? {
        get { composite(at: 8) }
        set { setComposite(newValue, at: 8) }
    }
    var station: Instrument? {
        get { codable(at: 15) }
        set { setCodable(newValue, at: 15) }
    }
    var tags: [String] {
        get { codable(at: 16, default: []) }
        set { setCodable(newValue, at: 16) }
    }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Shock",
            attributes: [
                .of(String.self, name: "code", default: ""),
                .composite(Location.self, name: "epicentre"),
                .composite(Location?.self, name: "origin"),
                .codable(Instrument?.self, name: "station", identifier: "Instrument"),
                .codable([String].self, name: "tags", identifier: "Names", default: []),
            ], uniquenessConstraints: [["epicentre.grid.square", "code"]],
            indexes: [IndexDescription("epicentre.latitude")])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Shock.code: "code", \Shock.epicentre: "epicentre", \Shock.origin: "origin",
        \Shock.station: "station", \Shock.tags: "tags",
    ])

    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel(Shock.self)
        } catch {
            fatalError("\(error)")
        }
    }()
}
