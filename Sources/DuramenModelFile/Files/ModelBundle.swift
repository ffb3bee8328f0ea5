import Foundation

/// The versions of a model: an `.xcdatamodeld` bundle, one `.xcdatamodel` folder, or one `contents` file.
public struct ModelBundle: Sendable, Hashable {
    /// One version of a model.
    public struct Version: Sendable, Hashable {
        /// The name of the version's folder, without its extension.
        public var name: String
        /// What the version says.
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
    /// The versions, in the order of their names as people count: 9 before 10. Never empty when read.
    public var versions: [Version]
    /// The name of the version that applications use; nil when there is only one, and none is named.
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
    /// - Throws: ``ModelFileError``: `.notFound`, `.io`, `.oldFormat` when the current version is in the binary format
    ///   of Xcode before 4.3, and what ``ModelDocument/init(contents:path:)`` throws. Every version must be
    ///   readable but those in the old format, which are left out.
    public init(path: String) throws(ModelFileError) {
        let url = URL(filePath: path)
        let fileName = url.lastPathComponent
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ModelFileError(.notFound, path: path, "there is no such file or folder.")
        }
        let stem = url.deletingPathExtension().lastPathComponent
        guard isFolder.boolValue else {
            let folder = url.deletingLastPathComponent().deletingPathExtension()
            let name = fileName == "contents" ? folder.lastPathComponent : stem
            self.init(name: name, versions: [try Version(contentsPath: path, name: name)])
            return
        }
        if url.pathExtension == "xcdatamodel" || Self.hasContents(path) {
            self.init(name: stem, versions: [try Version(folder: path, name: stem)])
            return
        }
        self.init(
            name: stem, versions: [], currentVersionName: try Self.currentVersionName(in: path))
        try readVersions(in: path)
    }

    private mutating func readVersions(in path: String) throws(ModelFileError) {
        var old: ModelFileError?
        for name in try Self.versionNames(in: path) {
            do throws(ModelFileError) {
                versions.append(
                    try Version(folder: "\(path)/\(name)\(Self.suffix)", name: name))
            } catch {
                guard error.code == .oldFormat, name != currentVersionName else { throw error }
                old = error
                oldFormatVersionNames.append(name)
            }
        }
        if let old, versions.isEmpty { throw old }
        if versions.isEmpty {
            throw ModelFileError(
                .notFound, path: path,
                "holds no .xcdatamodel folder; give an .xcdatamodeld bundle, an .xcdatamodel folder "
                    + "or a 'contents' file.")
        }
        if let name = currentVersionName, currentVersion == nil {
            throw ModelFileError(
                .notFound, path: path,
                "its current version is said to be '\(name)', which it does not have; correct "
                    + ".xccurrentversion.")
        }
    }

    private static let suffix = ".xcdatamodel"

    private static func versionNames(in path: String) throws(ModelFileError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw ModelFileError(.io, path: path, "the folder cannot be read.")
        }
        return names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
            .sorted { CountedName($0) < CountedName($1) }
    }

    private static func hasContents(_ path: String) -> Bool {
        ["contents", "elements"].contains {
            FileManager.default.fileExists(atPath: "\(path)/\($0)")
        }
    }

    /// The name in `.xccurrentversion`, a property list; nil without one.
    private static func currentVersionName(in path: String) throws(ModelFileError) -> String? {
        let path = "\(path)/.xccurrentversion"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let list: MarkupElement
        do {
            list = try MarkupReader.read(try readBytes(path), allowsDocumentType: true)
        } catch let error as MarkupError {
            throw ModelFileError(.malformed, path: path, place: error.place, error.message)
        } catch let error as ModelFileError {
            throw error
        } catch {
            throw ModelFileError(.io, path: path, "the file cannot be read.")
        }
        let pairs = list.child("dict")?.children ?? []
        guard let key = pairs.firstIndex(where: { $0.text == "_XCCurrentVersionName" }) else {
            return nil
        }
        let folder = pairs[key...].dropFirst().first?.text ?? ""
        return folder.hasSuffix(suffix) ? String(folder.dropLast(suffix.count)) : folder
    }
}

extension ModelBundle.Version {
    /// Reads the folder of one version.
    fileprivate init(folder: String, name: String) throws(ModelFileError) {
        if !FileManager.default.fileExists(atPath: "\(folder)/contents") {
            if FileManager.default.fileExists(atPath: "\(folder)/elements") {
                throw ModelDocument.oldFormat("\(folder)/elements")
            }
            throw ModelFileError(.notFound, path: folder, "holds no 'contents'.")
        }
        try self.init(contentsPath: "\(folder)/contents", name: name)
    }

    fileprivate init(contentsPath path: String, name: String) throws(ModelFileError) {
        self.init(
            name: name, document: try ModelDocument(contents: readBytes(path), path: path),
            path: path)
    }
}

/// The bytes of a file, up to what no model file has.
private func readBytes(_ path: String) throws(ModelFileError) -> [UInt8] {
    do {
        let handle = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? handle.close() }
        return [UInt8](try handle.read(upToCount: MarkupLimits.bytes + 1) ?? Data())
    } catch {
        throw ModelFileError(.io, path: path, "the file cannot be read.")
    }
}
