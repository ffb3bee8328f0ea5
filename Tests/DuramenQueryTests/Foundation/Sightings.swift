import DuramenModel
import DuramenQuery
import Foundation
import Testing

/// Classes of the model ``Earth`` as `#Predicate` needs them: captured objects are equatable and
/// codable.
enum Sighting {
    enum Level: Int, Codable, PredicateValue {
        case low = 1
        case high = 3
    }

    /// What a program captures: a value with properties.
    struct Filter: Codable {
        var code = "a"
        var limit: Int? = 3
        var codes = ["a", "b"]
    }

    struct Location: QueryableComposite, Codable, Equatable {
        var latitude = 0.0
        var place: String?

        static func elementName(for keyPath: AnyKeyPath) -> String? {
            keyPath == \Location.latitude
                ? "latitude" : (keyPath == \Location.place ? "place" : nil)
        }
    }

    final class Quake: QueryableObject, Equatable, Codable {
        var code = ""
        var note: String?
        var magnitude = 0.0
        var depth: Float?
        var reports = 0
        var level = Level.low
        var isFelt = false
        var wasSeen: Bool?
        var damage: Decimal?
        var time = Date(timeIntervalSinceReferenceDate: 0)
        var wave = Data()
        var labels = ["a"]
        var epicentre = Location()
        var focus: Location?
        var region: Region?
        var origin: Region
        var tags = Objects<Tag>()
        var unmanaged = 0
        let queryObjectID: ManagedObjectID

        init(_ id: ManagedObjectID, origin: Region) {
            queryObjectID = id
            self.origin = origin
        }

        /// Parts the quake from the objects that refer to it.
        func leave() {
            for tag in tags.elements { tag.quakes.elements.removeAll { $0 === self } }
            region?.quakes.elements.removeAll { $0 === self }
        }

        static func == (left: Quake, right: Quake) -> Bool { left === right }

        static func isObjectID(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Quake.queryObjectID }

        static func propertyName(for keyPath: AnyKeyPath) -> String? {
            let names: [AnyKeyPath: String] = [
                \Quake.code: "code", \Quake.note: "note", \Quake.magnitude: "magnitude",
                \Quake.depth: "depth", \Quake.reports: "reports", \Quake.isFelt: "isFelt",
                \Quake.wasSeen: "wasSeen", \Quake.damage: "damage", \Quake.time: "time",
                \Quake.wave: "wave", \Quake.labels: "labels", \Quake.region: "region",
                \Quake.origin: "origin", \Quake.tags: "tags", \Quake.level: "level",
                \Quake.epicentre: "epicentre", \Quake.focus: "focus",
            ]
            return names[keyPath]
        }
    }

    class Region: QueryableObject, Equatable, Codable {
        var name = ""
        var isLarge = false
        var capital: Place?
        var quakes = Objects<Quake>()
        let queryObjectID: ManagedObjectID

        init(_ id: ManagedObjectID) { queryObjectID = id }

        static func == (left: Region, right: Region) -> Bool { left === right }

        static func isObjectID(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Region.queryObjectID }

        static func propertyName(for keyPath: AnyKeyPath) -> String? {
            let names: [AnyKeyPath: String] = [
                \Region.name: "name", \Region.isLarge: "isLarge", \Region.capital: "capital",
                \Region.quakes: "quakes",
            ]
            return names[keyPath]
        }
    }

    final class Island: Region {}

    final class Place: QueryableObject, Codable {
        var name: String?
        let queryObjectID: ManagedObjectID

        init(_ id: ManagedObjectID) { queryObjectID = id }

        static func propertyName(for keyPath: AnyKeyPath) -> String? {
            keyPath == \Place.name ? "name" : nil
        }
    }

    final class Tag: QueryableObject, Equatable, Codable {
        var name = ""
        var quakes = Objects<Quake>()
        let queryObjectID: ManagedObjectID

        init(_ id: ManagedObjectID) { queryObjectID = id }

        static func == (left: Tag, right: Tag) -> Bool { left === right }

        static func isObjectID(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Tag.queryObjectID }

        static func propertyName(for keyPath: AnyKeyPath) -> String? {
            keyPath == \Tag.name ? "name" : (keyPath == \Tag.quakes ? "quakes" : nil)
        }
    }

    /// A to-many that can be walked.
    struct Objects<Element: QueryableObject & Codable>: ToManyCollection, RandomAccessCollection,
        Codable
    {
        var elements: [Element] = []
        var startIndex: Int { 0 }
        var endIndex: Int { elements.count }
        subscript(position: Int) -> Element { elements[position] }

        static func property(for keyPath: AnyKeyPath) -> ToManyProperty? {
            keyPath == \Objects.count ? .count : (keyPath == \Objects.isEmpty ? .isEmpty : nil)
        }
    }
}

typealias SightingPredicate = Predicate<Sighting.Quake>

/// What a predicate becomes.
func converted(_ predicate: SightingPredicate) throws -> FetchPredicate {
    try FetchPredicate(predicate)
}

/// Why a predicate becomes nothing.
func conversionError(_ predicate: SightingPredicate) -> PredicateConversionError? {
    do throws(PredicateConversionError) {
        _ = try FetchPredicate(predicate)
        return nil
    } catch {
        return error
    }
}
