import Duramen
import DuramenMacros
import DuramenSQLite

@Managed
final class Quake: ManagedObject {
    @Attribute(.unique) var code: String
    var magnitude: Double
    @Attribute(.indexed) var time: Date
    var note: String?
    @Relationship var region: Region?
}

@Managed
final class Region: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Quake.region, deleteRule: .cascade) var quakes: ToMany<Quake>
}

let container = try await PersistentContainer(
    model: ManagedObjectModel(Quake.self, Region.self),
    stores: [.sqlite("quakes.sqlite")])

// One-shot background work. The context lives and dies inside the closure.
let count = try await container.performBackgroundTask { context in
    for dto in feed {
        let quake = Quake(context: context)
        quake.code = dto.code
        quake.magnitude = dto.magnitude
    }
    try context.save()
    return feed.count
}

// The view context belongs to the main actor and is used synchronously there.
let strong = try container.viewContext.fetch(
    FetchRequest<Quake>().where { $0.magnitude >= 6 && $0.region.name == "Honshu" }
        .sorted(by: \.time, .descending).limit(50))

// Your own actor can own a context. No macro, no executor, no perform.
actor SyncEngine {
    private let context: ManagedObjectContext
    init(container: PersistentContainer) {
        context = container.makeContext(.init(author: "sync"))
        context.attach(to: self)
    }
    // swift-format-ignore: NoBlockComments
    func apply(_ records: [ServerRecord]) throws { /* uses context synchronously */
        try context.save()
    }
}
