import Duramen
import DuramenMacros
import Foundation

// What the programs have in common. It is compiled together with each of them.

@Managed
nonisolated final class Quake: ManagedObject {
    @Attribute(.unique) var code: String
    var magnitude: Double
    @Attribute(.indexed) var time: Date
    var note: String?
    @Relationship var region: Region?
}

@Managed
nonisolated final class Region: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Quake.region, deleteRule: .cascade) var quakes: ToMany<Quake>
}

/// Something to hide an object in.
final class Box {
    var quake: Quake?
    var context: ManagedObjectContext?
    var id: ManagedObjectID?
}

/// Another isolation.
actor Seismograph {
    func draw(_ quake: Quake) {}
    func draw(_ id: ManagedObjectID) {}
}
