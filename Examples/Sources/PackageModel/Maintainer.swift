public import Duramen
import DuramenMacros

/// A person or team that looks after packages.
@Managed
public final class Maintainer: ManagedObject {
    /// Name and address together, as packages state them. One team with two spellings stays two
    /// maintainers: a unique key that guesses would join strangers too.
    @Attribute(.unique) public var contact: String
    /// The name.
    public var name: String
    /// The mail address.
    public var address: String?
    /// What they look after.
    @Relationship(inverse: \Package.maintainer) public var packages: ToMany<Package>
}
