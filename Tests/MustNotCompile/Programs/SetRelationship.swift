// A to-many relationship is written as a set; the class keeps its initializers.
// expected: a to-many relationship is a 'ToMany'
// differs: the class

import Duramen
import DuramenMacros

@Managed private final class Chapter: ManagedObject {
    var title: String
    @Relationship var tale: Tale?
}
#if TWIN
@Managed private final class Tale: ManagedObject {
    @Relationship(inverse: \Chapter.tale) var chapters: ToMany<Chapter>
    @Relationship var sequels: ToMany<Tale>
}
#else
@Managed private final class Tale: ManagedObject {
    @Relationship(inverse: \Chapter.tale) var chapters: ToMany<Chapter>
    @Relationship var sequels: Set<Tale>
}
#endif

private func write(_ context: ManagedObjectContext) throws {
    let tale = Tale(context: context)
    Chapter(context: context).tale = tale
    print(tale.chapters.count, tale.sequels.count)
    try context.save()
}
