// A delegate of the main actor follows a list of a background context.
// expected: main actor-isolated conformance of 'VM' to 'FetchedResultsControllerDelegate' cannot be us
// differs: in one statement of several lines

import Duramen
import Foundation

@MainActor private final class VM: @MainActor FetchedResultsControllerDelegate {
    typealias Object = Quake; var n = 0
    func controllerDidChangeContent(_ controller: FetchedResultsController<Quake>) { n += 1 }
}
private func f(_ b: BackgroundContext, _ vm: VM) async {
    await b.perform { c in
        let r = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.time), managedObjectContext: c);
        #if TWIN
        _ = r
        _ = vm
        #else
        r.delegate = vm
        #endif
    }
}
