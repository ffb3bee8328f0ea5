import Foundation

/// Reads the versions of a model, and continues after versions that cannot be read.
struct BundleReading {
    /// The versions that were read, including versions with invalid content.
    private(set) var bundle: ModelBundle
    /// The reasons why versions cannot be read or used, in their order.
    private(set) var problems: [ModelFileError] = []
    /// The names of versions that were not read at all.
    private var unread: Set<String> = []

    private static let suffix = ".xcdatamodel"

    /// Reads a bundle, a folder of one version, or one `contents` file.
    ///
    /// - Parameter path: The path of the bundle, folder or file.
    /// - Throws: ``ModelFileError`` if no version can be read.
    init(path: String) throws(ModelFileError) {
        let url = URL(filePath: path)
        let stem = url.deletingPathExtension().lastPathComponent
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ModelFileError(.notFound, path: path, "there is no such file or folder.")
        }
        bundle = ModelBundle(name: stem, versions: [])
        guard isFolder.boolValue else {
            let folder = url.deletingLastPathComponent().deletingPathExtension()
            if url.lastPathComponent == "contents" { bundle.name = folder.lastPathComponent }
            add(try BundleFolder.read(path, called: path), named: bundle.name, path: path)
            return
        }
        let folder = BundleFolder(path)
        let hasContents = try folder.contains("contents")
        let hasElements = try folder.contains("elements")
        if url.pathExtension == "xcdatamodel" || hasContents || hasElements {
            try readVersion(named: stem, in: folder, below: "")
            return
        }
        try readVersions(in: folder)
    }

    // MARK: - Versions

    private mutating func readVersions(in folder: BundleFolder) throws(ModelFileError) {
        do throws(ModelFileError) {
            bundle.currentVersionName = try Self.currentVersionName(in: folder)
        } catch {
            problems.append(error)
        }
        var old: ModelFileError?
        for name in try Self.versionNames(in: folder.path) {
            do throws(ModelFileError) {
                try readVersion(named: name, in: folder, below: name + Self.suffix + "/")
            } catch {
                if error.code == .oldFormat, name != bundle.currentVersionName {
                    old = error
                    bundle.oldFormatVersionNames.append(name)
                } else {
                    unread.insert(name)
                    problems.append(error)
                }
            }
        }
        if let old, bundle.versions.isEmpty, unread.isEmpty { throw old }
        if bundle.versions.isEmpty, unread.isEmpty {
            throw ModelFileError(
                .notFound, path: folder.path,
                "holds no .xcdatamodel folder; give an .xcdatamodeld bundle, an .xcdatamodel folder "
                    + "or a 'contents' file.")
        }
        if let name = bundle.currentVersionName, bundle.currentVersion == nil,
            !unread.contains(name)
        {
            problems.append(
                ModelFileError(
                    .notFound, path: folder.path,
                    "its current version is said to be '\(name)', which it does not have; correct "
                        + ".xccurrentversion."))
        }
    }

    /// Reads a version.
    ///
    /// - Parameters:
    ///   - name: The version's name.
    ///   - folder: The folder of the bundle.
    ///   - place: The version's folder within the bundle's folder, with a slash; empty for the
    ///     bundle's folder itself.
    private mutating func readVersion(
        named name: String, in folder: BundleFolder, below place: String
    ) throws(ModelFileError) {
        let path = "\(folder.path)/\(place)"
        guard let bytes = try folder.read(place + "contents") else {
            if try folder.contains(place + "elements") {
                throw ModelDocument.oldFormat(path + "elements")
            }
            throw ModelFileError(
                .notFound, path: place.isEmpty ? folder.path : String(path.dropLast()),
                "holds no 'contents'.")
        }
        if bytes.starts(with: "bplist".utf8) { throw ModelDocument.oldFormat(path + "contents") }
        add(bytes, named: name, path: path + "contents")
    }

    private mutating func add(_ bytes: [UInt8], named name: String, path: String) {
        let reading = ModelDocument.reading(bytes, path: path)
        problems += reading.problems
        if let document = reading.document {
            bundle.versions.append(.init(name: name, document: document, path: path))
        } else {
            unread.insert(name)
        }
    }

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

    /// Returns the name in `.xccurrentversion`, a property list; nil if the file does not exist.
    private static func currentVersionName(
        in folder: BundleFolder
    ) throws(ModelFileError) -> String? {
        let name = ".xccurrentversion"
        guard let bytes = try folder.read(name) else { return nil }
        let list: MarkupElement
        do throws(MarkupError) {
            list = try MarkupReader.read(bytes, allowsDocumentType: true)
        } catch {
            throw ModelFileError(
                .malformed, path: "\(folder.path)/\(name)", place: error.place, error.message)
        }
        let pairs = list.child("dict")?.children ?? []
        guard let key = pairs.firstIndex(where: { $0.text == "_XCCurrentVersionName" }) else {
            return nil
        }
        let version = pairs[key...].dropFirst().first?.text ?? ""
        return version.hasSuffix(suffix) ? String(version.dropLast(suffix.count)) : version
    }
}
