import Duramen
import DuramenMemory
import Foundation

// What the programs in KnownGaps run with.

/// A container with one quake in it, and a background context.
struct World: Sendable {
    let container: PersistentContainer
    let background: BackgroundContext

    init() throws {
        container = try PersistentContainer.open(
            model: ManagedObjectModel(Quake.self, Region.self), stores: [.memory()])
        background = container.newBackgroundContext()
        try background.performAndWait { context in
            let quake = Quake(context: context)
            quake.code = "us7000"
            quake.magnitude = 6
            quake.time = Date(timeIntervalSince1970: 0)
            try context.save()
        }
    }
}

extension ManagedObjectContext {
    /// The one quake.
    func anyQuake() throws -> Quake { try fetch(FetchRequest<Quake>())[0] }
}
