// The type of an attribute is an enumeration that is not declared an AttributeValue.
// expected: does not conform to 'AttributeValue'

import Duramen
import DuramenMacros

#if TWIN
private enum Genre: String, AttributeValue { case novel, poem }
#else
private enum Genre: String { case novel, poem }
#endif
private enum Binding: Int, AttributeValue { case hard, soft }
@Managed private final class Work: ManagedObject {
    var genre: Genre = Genre.novel
    @Attribute(.indexed) var binding: Binding?
}

private func write(_ context: ManagedObjectContext) throws {
    let work = Work(context: context)
    work.genre = .poem
    print(work.genre, work.values)
    try context.save()
}
