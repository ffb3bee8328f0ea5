/// One package as a stanza of `/var/lib/dpkg/status` or of a `Packages` index describes it.
///
/// A fact that the stanza does not state is `nil` or empty. A system with several architectures
/// lists one name several times, and an index may list several versions of it.
public struct PackageStanza: Sendable, Hashable {
    /// A field that has no property of its own, kept as text.
    public struct Field: Sendable, Hashable {
        /// The name as the file spells it.
        public var name: String
        /// The text, its lines joined by line feeds and without the one leading space or tab that
        /// marks a continuation.
        public var value: String

        /// Creates a field from its name and text.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The `Package` field.
    public var name: String
    /// The `Version` field, such as `1:2.36-9+deb12u4`.
    public var version: String
    /// The `Architecture` field, such as `amd64` or `all`.
    public var architecture: String?
    /// The `Status` field, which only the installed-package database has.
    public var status: InstallationStatus?
    /// The `Priority` field, such as `optional`.
    public var priority: String?
    /// The `Section` field, such as `libs` or `contrib/net`.
    public var section: String?
    /// The person or team of the `Maintainer` field.
    public var maintainer: Contact?
    /// The `Installed-Size` field, an estimate in KiB.
    public var installedSizeKiB: Int?
    /// The text of the `Homepage` field, which nobody has checked to be a URL.
    public var homepage: String?
    /// The first line of the `Description` field.
    public var synopsis: String?
    /// The rest of the `Description` field: lines joined by line feeds, the ` .` lines emptied.
    /// An index has it in separate translation files, so it is `nil` there.
    public var extendedDescription: String?
    /// What must be configured before this package is unpacked.
    public var preDepends: [Dependency] = []
    /// What this package needs to work.
    public var depends: [Dependency] = []
    /// What is found together with this package in all but unusual installations.
    public var recommends: [Dependency] = []
    /// What may make this package more useful.
    public var suggests: [Dependency] = []
    /// The virtual packages that this package stands in for.
    public var provides: [ProvidedPackage] = []
    /// Every other field that has a value, in the order of the file.
    public var otherFields: [Field] = []
    /// The first and the last line of the stanza, counted from 1; comments inside it included.
    public var lines: ClosedRange<Int>

    /// Creates a stanza that states nothing but its name and version.
    public init(name: String, version: String, lines: ClosedRange<Int> = 1...1) {
        self.name = name
        self.version = version
        self.lines = lines
    }

    /// Finds a field without a property of its own; names do not depend on case.
    ///
    /// - Complexity: O(*n*) for *n* other fields.
    public func otherField(_ name: String) -> String? {
        otherFields.first { $0.name.utf8.elementsEqual(name.utf8, by: isSameIgnoringCase) }?.value
    }
}
