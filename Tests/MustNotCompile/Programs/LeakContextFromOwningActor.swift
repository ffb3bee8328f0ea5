// An actor gives away an object of the context it keeps.
// expected: task or actor-isolated value cannot be sent

import Duramen

actor SyncOwner {
    private let context: ManagedObjectContext

    init(container: PersistentContainer) {
        context = container.makeContext()
        context.attach(to: self)
    }

    #if TWIN
    func newestQuake() -> ManagedObjectID { Quake(context: context).objectID }
    #else
    func newestQuake() -> sending Quake { Quake(context: context) }
    #endif
}
