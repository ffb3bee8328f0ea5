// FRC events consumed on main.

import Duramen
import Foundation

@MainActor private final class ListVM {
    let r: FetchedResultsController<Quake>; var ids: [ManagedObjectID] = [];
    var task: Task<Void, Never>?
    init(_ c: PersistentContainer) throws {
        r = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.time),
            managedObjectContext: c.viewContext);
        try r.performFetch()
        let e = r.events();
        task = Task { [weak self] in
            for await case .changed(let s, _) in e { self?.ids = Array(s.itemIdentifiers) }
        }
    }
}
