// The type of an attribute is a Codable struct, and the attribute does not say how to store it.
// expected: Mark the property '@Attribute\(\.codable
// differs: the class

import Duramen
import DuramenMacros

private struct Price: Codable, Sendable { var amount = 0 }
#if TWIN
@Managed private final class Copy: ManagedObject {
    var title: String
    @Attribute(.codable("Price")) var price: Price?
}
#else
@Managed private final class Copy: ManagedObject {
    var title: String
    var price: Price?
}
#endif

private func write(_ context: ManagedObjectContext) throws {
    let copy = Copy(context: context)
    copy.price = Price(amount: 3)
    print(copy.price?.amount ?? 0, copy.values)
    try context.save()
}
