import Duramen

// Values as @Managed generates them, by hand, with what Swift makes of a struct by itself.

extension QuakeStatus: Codable {}

extension Quake {
    struct Values: ManagedValues {
        typealias Object = Quake
        var objectID: ManagedObjectID
        var code: String
        var depth: Double?
        var magnitude: Double
        var region: ManagedObjectID?
        var status: QuakeStatus
        var tags: [ManagedObjectID]

        static var toManyIndices: [Int] { [0] }

        init(reading reader: ValuesReader) {
            objectID = reader.objectID
            code = reader.attribute(at: 0)
            depth = reader.attribute(at: 1)
            magnitude = reader.attribute(at: 2)
            region = reader.toOne(at: 3)
            status = reader.attribute(at: 4)
            tags = reader.toMany(at: 0)
        }

        func write(to writer: ValuesWriter) {
            writer.set(code, at: 0)
            writer.set(depth, at: 1)
            writer.set(magnitude, at: 2)
            writer.setToOne(region, at: 3)
            writer.set(status, at: 4)
            writer.setToMany(tags, at: 0)
        }
    }
}

extension Station {
    struct Values: ManagedValues {
        typealias Object = Station
        var objectID: ManagedObjectID
        var callSign: String
        var backup: ManagedObjectID?
        var region: ManagedObjectID?

        init(reading reader: ValuesReader) {
            objectID = reader.objectID
            callSign = reader.attribute(at: 2)
            backup = reader.toOne(at: 0)
            region = reader.toOne(at: 3)
        }

        func write(to writer: ValuesWriter) {
            writer.set(callSign, at: 2)
            writer.setToOne(backup, at: 0)
            writer.setToOne(region, at: 3)
        }
    }
}
