import Duramen
import DuramenMemory

/// A container over a fresh memory store.
func makeContainer(
    options: ContextOptions = ContextOptions()
) throws -> PersistentContainer {
    try PersistentContainer.open(
        model: Seismology.model, stores: [.memory()], defaultOptions: options)
}

extension ManagedObjectContext {
    func insertQuake(_ code: String, magnitude: Double = 1, in region: Region? = nil) -> Quake {
        let quake = Quake(context: self)
        quake.code = code
        quake.magnitude = magnitude
        quake.region = region
        return quake
    }

    func insertRegion(_ name: String) -> Region {
        let region = Region(context: self)
        region.name = name
        return region
    }

    /// Inserts stations in one region, which they need.
    func insertStations(_ callSigns: String...) -> [Station] {
        let region = insertRegion("North")
        return callSigns.map { callSign in
            let station = Station(context: self)
            station.callSign = callSign
            station.region = region
            return station
        }
    }

    func insertTag(_ name: String) -> Tag {
        let tag = Tag(context: self)
        tag.name = name
        return tag
    }

    func quake(_ code: String) throws -> Quake? {
        try fetch(FetchRequest<Quake>().where { $0.code == code }).first
    }
}
