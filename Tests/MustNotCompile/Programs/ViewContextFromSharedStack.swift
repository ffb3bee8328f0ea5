// A stack shared by all threads hands out the view context.
// expected: main actor-isolated (context|property)

import Duramen

final class DataStack: Sendable {
    let container: PersistentContainer

    init(container: PersistentContainer) { self.container = container }

    #if TWIN
    @MainActor var viewContext: ManagedObjectContext { container.viewContext }
    #else
    var viewContext: ManagedObjectContext { container.viewContext }
    #endif
}
