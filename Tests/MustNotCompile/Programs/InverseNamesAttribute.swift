// The inverse of a relationship is an attribute of the other class.
// expected: names an attribute
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
}
#else
@Managed private final class Tale: ManagedObject {
    @Relationship(inverse: \Chapter.title) var chapters: ToMany<Chapter>
}
#endif

private func write(_ context: ManagedObjectContext) throws {
    let tale = Tale(context: context)
    Chapter(context: context).tale = tale
    print(tale.chapters.count, tale.values)
    try context.save()
}
