// The type of an attribute is an array, and the attribute does not say how to store it.
// expected: cannot be of type '\[String\]'
// differs: the class

import Duramen
import DuramenMacros

#if TWIN
@Managed private final class Shelf: ManagedObject {
    var name: String
    @Attribute(.codable("labels")) var labels: [String] = []
}
#else
@Managed private final class Shelf: ManagedObject {
    var name: String
    var labels: [String] = []
}
#endif

private func write(_ context: ManagedObjectContext) throws {
    let shelf = Shelf(context: context)
    shelf.labels = ["a"]
    print(shelf.labels, shelf.values)
    try context.save()
}
