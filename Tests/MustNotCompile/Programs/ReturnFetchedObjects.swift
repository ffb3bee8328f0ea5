// The objects of a results controller leave their context.
// expected: conformance of 'FetchedObjects<Object>' to 'Sendable' is unavailable: results belong to th

import Duramen
import Foundation

#if TWIN
private func f(_ b: BackgroundContext) async throws { let r = try await b.perform { c in let r = FetchedResultsController(fetchRequest: FetchRequest<Quake>().sorted(by: \.time), managedObjectContext: c); try r.performFetch(); return r.snapshot }; print(r as Any) }
#else
private func f(_ b: BackgroundContext) async throws { let r = try await b.perform { c in let r = FetchedResultsController(fetchRequest: FetchRequest<Quake>().sorted(by: \.time), managedObjectContext: c); try r.performFetch(); return r.fetchedObjects }; print(r as Any) }
#endif
