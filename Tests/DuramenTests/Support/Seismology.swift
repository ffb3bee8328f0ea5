import Duramen
import Foundation

// Managed classes as @Managed writes them, by hand, so that these tests need no macro.

enum QuakeStatus: String, CaseIterable, AttributeValue {
    case automatic, reviewed
}

final class Quake: ManagedObject {
    var code: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var depth: Double? {
        get { attribute(at: 1) }
        set { setAttribute(newValue, at: 1) }
    }
    var magnitude: Double {
        get { attribute(at: 2) }
        set { setAttribute(newValue, at: 2) }
    }
    var region: Region? {
        get { toOne(at: 3) }
        set { setToOne(newValue, at: 3) }
    }
    var status: QuakeStatus {
        get { attribute(at: 4) }
        set { setAttribute(newValue, at: 4) }
    }
    var tags: ToMany<Tag> { toMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Quake",
            attributes: [
                .of(String.self, name: "code"), .of(Double?.self, name: "depth"),
                .of(Double.self, name: "magnitude", default: 0),
                .of(QuakeStatus.self, name: "status", default: .automatic),
            ],
            relationships: [
                .toOne("region", destination: Region.self),
                .toMany("tags", destination: Tag.self, inverse: \Tag.quakes),
            ], uniquenessConstraints: [["code"]])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Quake.code: "code", \Quake.depth: "depth", \Quake.magnitude: "magnitude",
        \Quake.region: "region", \Quake.status: "status", \Quake.tags: "tags",
    ])
}

final class Region: ManagedObject {
    var name: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var quakes: ToMany<Quake> { toMany(at: 0) }
    var stations: ToMany<Station> { toMany(at: 1) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Region", attributes: [.of(String.self, name: "name")],
            relationships: [
                .toMany(
                    "quakes", destination: Quake.self, deleteRule: .cascade, inverse: \Quake.region),
                .toMany(
                    "stations", destination: Station.self, deleteRule: .deny,
                    inverse: \Station.region),
            ])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Region.name: "name", \Region.quakes: "quakes", \Region.stations: "stations",
    ])
}

final class Tag: ManagedObject {
    var name: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var quakes: ToMany<Quake> { toMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Tag", attributes: [.of(String.self, name: "name")],
            relationships: [.toMany("quakes", destination: Quake.self)])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([\Tag.name: "name", \Tag.quakes: "quakes"])
}

/// A station, with a partner of its own kind: inheritance, one-to-one and self-reference.
/// Slots go by name: backup, backupOf, callSign, region.
class Station: ManagedObject {
    var callSign: String {
        get { attribute(at: 2) }
        set { setAttribute(newValue, at: 2) }
    }
    var backup: Station? {
        get { toOne(at: 0) }
        set { setToOne(newValue, at: 0) }
    }
    var backupOf: Station? {
        get { toOne(at: 1) }
        set { setToOne(newValue, at: 1) }
    }
    var region: Region? {
        get { toOne(at: 3) }
        set { setToOne(newValue, at: 3) }
    }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Station", attributes: [.of(String.self, name: "callSign")],
            relationships: [
                .toOne("backup", destination: Station.self, inverse: \Station.backupOf),
                .toOne("backupOf", destination: Station.self),
                .toOne("region", destination: Region.self, isOptional: false),
            ])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Station.backup: "backup", \Station.backupOf: "backupOf", \Station.callSign: "callSign",
        \Station.region: "region",
    ])
}

final class OceanStation: Station {
    var waterDepth: Int32 {
        get { attribute(at: 4) }
        set { setAttribute(newValue, at: 4) }
    }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "OceanStation", superentity: "Station",
            attributes: [.of(Int32.self, name: "waterDepth", default: 0)])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? {
        oceanNames[keyPath] ?? super.propertyName(for: keyPath)
    }

    private static let oceanNames = ManagedKeyPaths([\OceanStation.waterDepth: "waterDepth"])
}

enum Seismology {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel(
                Quake.self, Region.self, Tag.self, Station.self, OceanStation.self)
        } catch {
            fatalError("\(error)")
        }
    }()
}
