// An actor's own context is used on the queue of another one.
// expected: non-Sendable type 'ManagedObjectContext' of property 'context' cannot exit actor-isolated context

import Duramen

actor RecordImporter {
    private let context: ManagedObjectContext
    private let background: BackgroundContext

    init(container: PersistentContainer) {
        context = container.makeContext()
        background = container.newBackgroundContext()
        context.attach(to: self)
    }

    func run() async throws {
        try await background.perform { context in
            #if TWIN
            try context.save()
            #else
            try self.context.save()
            #endif
        }
    }
}
