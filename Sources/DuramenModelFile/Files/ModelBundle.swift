/// The versions of a model: an `.xcdatamodeld` bundle, one `.xcdatamodel` folder, or one `contents`
/// file.
public struct ModelBundle: Sendable, Hashable {
    /// One version of a model.
    public struct Version: Sendable, Hashable {
        /// The name of the version's folder, without its extension.
        public var name: String
        /// The content of the version.
        public var document: ModelDocument
        /// The path of the file that it was read from; nil for a new version.
        public var path: String?

        /// Creates a version from a document.
        public init(name: String, document: ModelDocument, path: String? = nil) {
            self.name = name
            self.document = document
            self.path = path
        }
    }

    /// The bundle's name, without its extension.
    public var name: String
    /// The versions, sorted by name in natural order: 9 comes before 10. Never empty after reading.
    public var versions: [Version]
    /// The name of the version that applications use; nil for a single version without a mark.
    public var currentVersionName: String?
    /// The names of versions in the binary format of Xcode before 4.3, which were skipped when the
    /// bundle was read.
    public internal(set) var oldFormatVersionNames: [String] = []

    /// Creates a bundle from versions.
    public init(name: String, versions: [Version], currentVersionName: String? = nil) {
        self.name = name
        self.versions = versions
        self.currentVersionName = currentVersionName
    }

    /// The version that applications use; nil if the bundle does not have it.
    public var currentVersion: Version? {
        currentVersionName.map { name in versions.first { $0.name == name } } ?? versions.last
    }

    /// Returns the version that applications use.
    ///
    /// - Throws: ``ModelFileError`` `.notFound` if the bundle does not have it.
    public func requiredCurrentVersion() throws(ModelFileError) -> Version {
        if let currentVersion { return currentVersion }
        throw ModelFileError(
            .notFound, "'\(name)' has no current version; name one of its versions.")
    }

    /// Returns the version with a name.
    ///
    /// - Throws: ``ModelFileError`` `.notFound` with the names of the existing versions,
    ///   `.oldFormat` for a skipped version.
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

    /// The number of versions, and the number of skipped versions.
    public var versionCount: ModelVersionCount {
        ModelVersionCount(read: versions.count, inOldFormat: oldFormatVersionNames.count)
    }
}

extension ModelBundle {
    /// Reads a bundle, a folder of one version, or one `contents` file.
    ///
    /// Every version must be readable, except versions in the old format, which are skipped.
    /// ``ModelValidation`` lists all problems.
    /// - Throws: ``ModelFileError``: `.notFound`, `.io`, `.unsafeFile`, and the errors of
    ///   ``ModelDocument/init(contents:path:)``. `.oldFormat` if the current version is in the
    ///   binary format of Xcode before 4.3.
    public init(path: String) throws(ModelFileError) {
        let reading = try BundleReading(path: path)
        if let problem = reading.problems.first { throw problem }
        self = reading.bundle
    }
}
