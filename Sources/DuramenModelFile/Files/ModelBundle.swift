/// The versions of a model: an `.xcdatamodeld` bundle, one `.xcdatamodel` folder, or one `contents`
/// file.
public struct ModelBundle: Sendable, Hashable {
    /// One version of a model.
    public struct Version: Sendable, Hashable {
        /// The name of the version's folder, without its extension.
        public var name: String
        /// The content of the version.
        public var document: ModelDocument
        /// The file that it was read from; nil for a new one.
        public var path: String?

        /// Names a document.
        public init(name: String, document: ModelDocument, path: String? = nil) {
            self.name = name
            self.document = document
            self.path = path
        }
    }

    /// The bundle's name, without its extension.
    public var name: String
    /// The versions, in the order of their names as people count: 9 before 10. Never empty when
    /// read.
    public var versions: [Version]
    /// The name of the version that applications use; nil when there is only one, and none is
    /// named.
    public var currentVersionName: String?
    /// The names of versions in the binary format of Xcode before 4.3, which were left out when the
    /// bundle was read.
    public internal(set) var oldFormatVersionNames: [String] = []

    /// Collects versions.
    public init(name: String, versions: [Version], currentVersionName: String? = nil) {
        self.name = name
        self.versions = versions
        self.currentVersionName = currentVersionName
    }

    /// The version that applications use; nil when it is not among the versions.
    public var currentVersion: Version? {
        currentVersionName.map { name in versions.first { $0.name == name } } ?? versions.last
    }

    /// The version that applications use.
    ///
    /// - Throws: ``ModelFileError`` `.notFound` when it is not among the versions.
    public func requiredCurrentVersion() throws(ModelFileError) -> Version {
        if let currentVersion { return currentVersion }
        throw ModelFileError(
            .notFound, "'\(name)' has no current version; name one of its versions.")
    }

    /// The version of that name.
    ///
    /// - Throws: ``ModelFileError`` `.notFound`, which names those that there are.
    public func version(named name: String) throws(ModelFileError) -> Version {
        if let version = versions.first(where: { $0.name == name }) { return version }
        if oldFormatVersionNames.contains(name) {
            throw ModelFileError(
                .oldFormat,
                "'\(self.name)' has version '\(name)' in the format before Xcode 4.3 only; save it with a later Xcode."
            )
        }
        let others = oldFormatVersionNames.isEmpty ? "" : ", and \(versionCount.remark)"
        throw ModelFileError(
            .notFound,
            "'\(self.name)' has no version '\(name)'; it has "
                + versions.map { "'\($0.name)'" }.joined(separator: ", ") + others + ".")
    }

    /// How many versions there are, and how many of them were left out.
    public var versionCount: ModelVersionCount {
        ModelVersionCount(read: versions.count, inOldFormat: oldFormatVersionNames.count)
    }
}

extension ModelBundle {
    /// Reads a bundle, a folder of one version, or one `contents` file.
    ///
    /// - Throws: ``ModelFileError``: `.notFound`, `.io`, `.unsafeFile`, `.oldFormat` when the
    ///   current version is in the binary format of Xcode before 4.3, and what
    ///   ``ModelDocument/init(contents:path:)`` throws. Every version must be readable but those in
    ///   the old format, which are left out. ``ModelValidation`` lists all that is wrong.
    public init(path: String) throws(ModelFileError) {
        let reading = try BundleReading(path: path)
        if let problem = reading.problems.first { throw problem }
        self = reading.bundle
    }
}
