public import Duramen
import DuramenMacros

/// A package, or a name that other packages ask for or provide.
///
/// The dependency graph is between names, as it is in the archive: when the first package that
/// needs `awk` is imported, nobody knows yet whether a package of that name will come. So the first
/// mention of a name makes an object in the state ``PackageState/named``, and a stanza of that name
/// fills it in. An object that stays in that state is a virtual package if it has ``providers``.
/// Otherwise the imported file does not have the package.
@Managed
public final class Package: ManagedObject {
    /// The name; with the architecture behind a colon when the plain name belongs to another
    /// architecture, as in `libc6:i386`.
    @Attribute(.unique, .preservesValueOnDeletion) public var identifier: String
    /// How much is known.
    @Attribute(.indexed) public var state: PackageState = .named
    /// The version, such as `1:2.36-9`.
    public var version: String?
    /// The architecture, such as `amd64` or `all`.
    public var architecture: String?
    /// The description in one line.
    public var synopsis: String?
    /// Where the package's makers are on the web; nobody checked that it is a URL.
    public var homepage: String?
    /// The estimated size of the unpacked files, in KiB.
    public var installedSizeKiB: Int?

    /// What the package is filed under.
    @Relationship public var section: Section?
    /// Who looks after it.
    @Relationship public var maintainer: Maintainer?

    /// What the package needs: of each clause of its dependencies, the alternative named first,
    /// which is the one that package managers take by default.
    @Relationship public var dependencies: ToMany<Package>
    /// The packages that need this one.
    @Relationship(inverse: \Package.dependencies) public var dependents: ToMany<Package>

    /// What would do as well: the other alternatives of the clauses.
    @Relationship public var alternatives: ToMany<Package>
    /// The packages for which this one would do as well.
    @Relationship(inverse: \Package.alternatives) public var alternativeDependents: ToMany<Package>

    /// The names that the package stands in for.
    @Relationship public var provides: ToMany<Package>
    /// The packages that stand in for this name.
    @Relationship(inverse: \Package.provides) public var providers: ToMany<Package>
}

/// How much is known about a package.
public enum PackageState: Int16, CaseIterable, AttributeValue {
    /// Other packages name it; no file that was imported lists it.
    case named
    /// A file lists it.
    case listed
    /// A file lists it as installed.
    case installed
}
