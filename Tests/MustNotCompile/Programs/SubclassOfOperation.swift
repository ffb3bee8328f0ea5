// A subclass of the operation keeps objects.
// expected: inheritance from a final class 'ManagedObjectContextOperation'
// differs: in one statement of several lines

import Duramen
import Foundation

#if TWIN
private class Importer {
    let run: ManagedObjectContextOperation<Void>;
    init(_ run: ManagedObjectContextOperation<Void>) { self.run = run }
}
#else
private class Importer: ManagedObjectContextOperation<Void> { var found: [Quake] = [] }
#endif
