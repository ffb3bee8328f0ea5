import DuramenModel
import DuramenStore
import Foundation

/// The folder of an export: a file of lines for each entity, the model, and a list of all that.
struct ExportFolder {
    /// The contents of the folder.
    struct Contents: Codable {
        /// The objects of one entity, without those of its sub-entities.
        struct EntityContents: Codable {
            var name: String
            var rows: Int
            var pairs: Int
            /// In hexadecimal digits.
            var checksum: String
        }

        static let kind = "Duramen export"
        static let newestVersion = 1

        var kind = Self.kind
        var version = Self.newestVersion
        var modelChecksum: String
        var entities: [EntityContents]
        /// The confidential attributes that are not in the files.
        var leftOut: [String]
        var metadata: [String: StoredValue]
    }

    private static let contentsName = "export.json"
    private static let modelName = "model"

    let path: String

    init(_ path: String) {
        // The folder is made beside its place first.
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        self.path = String(path)
    }

    /// Whether a folder is an export.
    var exists: Bool { FileManager.default.fileExists(atPath: path + "/" + Self.contentsName) }

    /// The path of the lines of an entity.
    func lines(of entity: Entity) -> String { "\(path)/\(entity.name).jsonl" }

    // MARK: - Reading

    func contents() throws(StoreError) -> Contents {
        let file = path + "/" + Self.contentsName
        guard let data = FileManager.default.contents(atPath: file) else {
            throw StoreError(.storeMissing, "There is no export at '\(path)'; name its folder.")
        }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let contents = try? decoder.decode(Contents.self, from: data),
            contents.kind == Contents.kind
        else {
            throw StoreError(.damagedFile, "'\(file)' is not the list of an export; export again.")
        }
        if contents.version > Contents.newestVersion {
            throw StoreError(
                .newerFormat,
                "'\(path)' was exported by a newer version of duramen; use that version, or a newer one."
            )
        }
        return contents
    }

    func model() throws(StoreError) -> ManagedObjectModel {
        do throws(FrozenModelError) {
            return try FrozenModels.read(
                "\(path)/\(Self.modelName).\(FrozenModels.pathExtension)"
            ).model
        } catch {
            throw StoreError(.damagedFile, error.description)
        }
    }

    // MARK: - Writing

    /// Creates the folder under another name, has it filled, and renames it. When that fails,
    /// nothing is left of it.
    ///
    /// - Throws: `.invalidRequest` when something is there.
    func make(_ fill: (ExportFolder) throws(StoreError) -> Void) throws(StoreError) {
        let files = FileManager.default
        if files.fileExists(atPath: path) {
            throw StoreError(
                .invalidRequest, "Something is at '\(path)' already; name a free path.")
        }
        let unfinished = ExportFolder(path + ".exporting")
        try? files.removeItem(atPath: unfinished.path)
        do {
            try files.createDirectory(atPath: unfinished.path, withIntermediateDirectories: false)
            try fill(unfinished)
            try files.moveItem(atPath: unfinished.path, toPath: path)
        } catch {
            try? files.removeItem(atPath: unfinished.path)
            if let error = error as? StoreError { throw error }
            throw failure(error)
        }
    }

    func write(_ contents: Contents, _ model: ManagedObjectModel) throws(StoreError) {
        do {
            _ = try FrozenModels.freeze(model, as: Self.modelName, in: path)
            let encoder = JSONEncoder()
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(contents).write(to: URL(filePath: path + "/" + Self.contentsName))
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> StoreError {
        StoreError(
            .io, "'\(path)' cannot be written; check its folder and the space on the disk.",
            detail: "\(error)")
    }
}
