import DuramenModel
import Foundation

/// The checksums of shipped versions, in a file inside their bundle. They show when a shipped
/// version is edited, after which existing stores could not be opened.
///
/// ```
/// # Versions that have shipped. Add one instead of editing these.
/// 4sX…=  Accounts
///   Qb9…=  User
/// ```
public struct ModelLock: Sendable, Hashable {
    /// A shipped version.
    public struct Version: Sendable, Hashable {
        /// The version's name.
        public var name: String
        /// The checksum of the version.
        public var checksum: String
        /// The hashes of the version's entities by their names.
        public var entityHashes: [String: String]
    }

    /// The versions, in the order of the file.
    public private(set) var versions: [Version] = []

    /// The name of the file in a bundle.
    public static let fileName = "checksums.lock"

    /// Creates a lock without versions.
    public init() {}

    /// Adds the versions of a bundle that the lock does not have yet.
    ///
    /// - Returns: The names of the added versions.
    /// - Throws: ``ModelFileError`` `.unusable` for a version that is not a valid model.
    public mutating func freeze(_ bundle: ModelBundle) throws(ModelFileError) -> [String] {
        var added: [String] = []
        for version in bundle.versions where !versions.contains(where: { $0.name == version.name })
        {
            versions.append(try Self.version(version))
            added.append(version.name)
        }
        return added
    }

    /// Returns the problems of a bundle: versions that were edited or are missing.
    ///
    /// - Parameters:
    ///   - bundle: The bundle.
    ///   - path: The path of the bundle, for messages.
    /// - Returns: Lines in the form of compiler messages, with the paths of the files.
    /// - Throws: ``ModelFileError`` `.unusable` for a frozen version that is not a valid model.
    public func problems(
        with bundle: ModelBundle, path: String
    ) throws(ModelFileError) -> [String] {
        var problems: [String] = []
        for frozen in versions {
            guard let version = bundle.versions.first(where: { $0.name == frozen.name }) else {
                problems.append(
                    "\(path): error: the version '\(frozen.name)' has shipped and is gone; bring it back, since stores "
                        + "are migrated from it")
                continue
            }
            let now = try Self.version(version)
            if now.checksum == frozen.checksum { continue }
            let names = Set(now.entityHashes.keys).union(frozen.entityHashes.keys)
                .filter { now.entityHashes[$0] != frozen.entityHashes[$0] }.sorted()
            problems.append(
                "\(version.path ?? path):1:1: error: the version '\(frozen.name)' has shipped and was edited ("
                    + names.joined(separator: ", ")
                    + "); take the edit back, and make it in a new version")
        }
        return problems
    }

    private static func version(
        _ version: ModelBundle.Version
    ) throws(ModelFileError) -> Version {
        let model = try version.document.generatedModel()
        return Version(
            name: version.name, checksum: model.versionChecksum,
            entityHashes: Dictionary(
                model.entities.map { ($0.name, $0.versionHash) }, uniquingKeysWith: { $1 }))
    }

    // MARK: - The file

    /// Reads the lock of a bundle; nil if it has none.
    ///
    /// - Throws: ``ModelFileError`` `.io`, `.unsafeFile`, `.tooLarge`, or `.malformed` with the
    ///   position of an invalid line.
    public static func read(bundlePath: String) throws(ModelFileError) -> ModelLock? {
        let path = "\(bundlePath)/\(fileName)"
        guard let bytes = try BundleFolder(bundlePath).read(fileName) else { return nil }
        if bytes.count > MarkupLimits.bytes {
            throw ModelFileError(
                .tooLarge, path: path, "the file has more than \(MarkupLimits.bytes) bytes.")
        }
        var lock = ModelLock()
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            if line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) { continue }
            let isEntity = line.hasPrefix("  ")
            let parts = line.drop { $0 == " " }.split(separator: "  ", maxSplits: 1)
            guard parts.count == 2, !isEntity || !lock.versions.isEmpty else {
                throw ModelFileError(
                    .malformed, path: path, place: SourcePlace(line: number + 1, column: 1),
                    "a line is a checksum, two spaces and the name of a version, or of an entity behind two more; "
                        + "freeze the model again.")
            }
            if isEntity {
                lock.versions[lock.versions.count - 1].entityHashes[String(parts[1])] =
                    String(parts[0])
            } else {
                lock.versions.append(
                    Version(
                        name: String(parts[1]), checksum: String(parts[0]), entityHashes: [:]))
            }
        }
        return lock
    }

    /// Writes the lock into a bundle.
    ///
    /// - Throws: ``ModelFileError`` `.io`
    public func write(bundlePath: String) throws(ModelFileError) {
        var text = "# Versions that have shipped. Add one instead of editing these.\n"
        for version in versions {
            text += "\(version.checksum)  \(version.name)\n"
            for (name, hash) in version.entityHashes.sorted(by: { $0.key < $1.key }) {
                text += "  \(hash)  \(name)\n"
            }
        }
        let path = "\(bundlePath)/\(Self.fileName)"
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw ModelFileError(.io, path: path, "the file cannot be written: \(error)")
        }
    }
}
