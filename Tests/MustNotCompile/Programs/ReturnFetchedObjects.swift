// The objects of a results controller leave their context.
// expected: conformance of 'FetchedObjects<Object>' to 'Sendable' is unavailable: results belong to th

import Duramen
import Foundation

private func f(_ b: BackgroundContext) async throws {
    let r = try await b.perform { c in
        let r = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.time), managedObjectContext: c);
        try r.performFetch()
        #if TWIN
        return r.snapshot
        #else
        return r.fetchedObjects
        #endif
    }
    print(r as Any)
}
