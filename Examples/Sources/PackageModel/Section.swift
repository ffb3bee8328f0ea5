public import Duramen
import DuramenMacros

/// A section of the archive, such as `libs` or `contrib/net`.
@Managed
public final class Section: ManagedObject {
    /// The name, with the area before a slash unless it is the main one.
    @Attribute(.unique) public var name: String
    /// What is filed here.
    @Relationship(inverse: \Package.section) public var packages: ToMany<Package>
}
