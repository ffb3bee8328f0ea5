// A to-one is not marked @Relationship.
// expected: mark it '@Relationship'|Mark it '@Relationship'
// differs: the class

import Duramen
import DuramenMacros

@Managed private final class Writer: ManagedObject { var name: String }
#if TWIN
@Managed private final class Novel: ManagedObject {
    var title: String
    @Relationship var writer: Writer?
}
#else
@Managed private final class Novel: ManagedObject {
    var title: String
    var writer: Writer?
}
#endif

private func write(_ context: ManagedObjectContext) throws {
    let novel = Novel(context: context)
    novel.writer = Writer(context: context)
    print(novel.writer?.name ?? "", novel.values)
    try context.save()
}
