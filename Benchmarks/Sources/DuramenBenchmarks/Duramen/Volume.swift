import Duramen
import DuramenMacros

/// A book of a feed.
@Managed
final class Volume: ManagedObject {
    @Attribute(.unique) var isbn: String
    var title: String
    var pages: Int
    var rating: Double
    @Relationship var writer: Writer?
}

/// An author, who a feed names in each of their books.
@Managed
final class Writer: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Volume.writer) var volumes: ToMany<Volume>
}
