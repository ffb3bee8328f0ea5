import Foundation

/// The versions of a model that have shipped, each archived in a file of a folder.
///
/// ```
/// Models/1.0.duramenmodel
/// Models/1.1.duramenmodel
/// ```
/// Frozen versions are data, since an edited class would change every version that uses it. An
/// edited file fails to load, since its checksum does not match.
public struct FrozenModels: Sendable {
    /// One version.
    public struct Version: Sendable {
        /// The file's name without its ending.
        public let name: String
        /// Where the file is.
        public let path: String
        /// The model; all objects are plain.
        public let model: ManagedObjectModel
    }

    /// Where the files are.
    public let folder: String
    /// The versions in the order of their names, with numbers as numbers: 1.10 comes behind 1.9.
    public let versions: [Version]

    /// The ending of the files' names.
    public static let pathExtension = "duramenmodel"

    /// Reads a folder.
    ///
    /// - Throws: ``FrozenModelError`` `.unreadable` for a folder or a file that cannot be read, or
    ///   that was edited.
    public init(_ folder: String) throws(FrozenModelError) {
        self.folder = folder
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw FrozenModelError(
                .unreadable,
                "The folder '\(folder)' cannot be read; make it with 'duramen model freeze': \(error)"
            )
        }
        let ending = "." + Self.pathExtension
        var versions: [Version] = []
        for name in names where name.hasSuffix(ending) {
            versions.append(try Self.read("\(folder)/\(name)"))
        }
        self.versions = versions.sorted {
            $0.name.compare($1.name, options: .numeric) == .orderedAscending
        }
    }

    /// Reads one file.
    ///
    /// - Throws: ``FrozenModelError`` `.unreadable`.
    public static func read(_ path: String) throws(FrozenModelError) -> Version {
        let url = URL(filePath: path)
        do {
            return Version(
                name: url.deletingPathExtension().lastPathComponent, path: path,
                model: try ManagedObjectModel(archived: Data(contentsOf: url)))
        } catch {
            throw FrozenModelError(
                .unreadable,
                "'\(path)' is not a version as it was frozen. Restore the file, and make changes in a new version: "
                    + "\(error)")
        }
    }

    /// Returns the version with a name, or nil if there is none.
    public subscript(name: String) -> Version? {
        let name = StoredText(name)
        return versions.first { StoredText($0.name) == name }
    }

    /// Archives a model in a new file.
    ///
    /// - Parameters:
    ///   - name: The name of the version, such as `1.1`.
    ///   - folder: Made when it is missing.
    /// - Returns: Where the file is.
    /// - Throws: ``FrozenModelError`` `.nameTaken` when there is such a file that has another
    ///   version, `.unwritable`.
    @discardableResult
    public static func freeze(
        _ model: ManagedObjectModel, as name: String, in folder: String
    ) throws(FrozenModelError) -> String {
        let path = "\(folder)/\(name).\(pathExtension)"
        if name.isEmpty || name.contains("/") {
            throw FrozenModelError(
                .unwritable, "'\(name)' is not a name of a file. Give the version another name.")
        }
        if FileManager.default.fileExists(atPath: path) {
            if try read(path).model.versionChecksum == model.versionChecksum { return path }
            throw FrozenModelError(
                .nameTaken,
                "'\(path)' is another version, and has shipped; freeze this one under a new name.")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try model.archived().write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw FrozenModelError(.unwritable, "'\(path)' cannot be written: \(error)")
        }
        return path
    }

    /// The reason why a model is not the last frozen version; nil if it is.
    ///
    /// The message lists the differences and the command that freezes the model.
    public func problem(with model: ManagedObjectModel) -> String? {
        guard let last = versions.last else {
            return "No version is frozen in '\(folder)'. \(Self.advice(folder))"
        }
        if last.model.versionChecksum == model.versionChecksum { return nil }
        if let other = versions.last(where: { $0.model.versionChecksum == model.versionChecksum }) {
            return
                "The model is the version '\(other.name)', and '\(last.name)' comes behind it; give the frozen files "
                + "names in the order of the versions."
        }
        let changes = SchemaChange(from: last.model, to: model).changes
            .filter { $0.effect != .none }.map(\.description)
        return
            "The model is not one of the frozen versions. It differs from the last one, '\(last.name)': "
            + "\(changes.joined(separator: "; ")). \(Self.advice(folder))"
    }

    private static func advice(_ folder: String) -> String {
        "If that is meant, freeze it under a new name: duramen model freeze STORE --name NAME --into \(folder)"
    }
}

/// Why frozen versions of a model cannot be used.
public struct FrozenModelError: Error, Sendable, Hashable, DescribedError {
    /// The kind of the error: an open set with stable spellings, headings in `docs/errors.md`.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file is missing, or is not what was frozen.
        public static let unreadable = Code(rawValue: "frozenModelUnreadable")
        /// A file cannot be written.
        public static let unwritable = Code(rawValue: "frozenModelUnwritable")
        /// The name is that of another version.
        public static let nameTaken = Code(rawValue: "frozenModelNameTaken")
        /// The present model is not the last frozen version.
        public static let notFrozen = Code(rawValue: "modelNotFrozen")
        /// A default of the present model is another one each time.
        public static let changingDefault = Code(rawValue: "changingDefault")
    }

    /// The kind of the error.
    public let code: Code
    /// A description of the problem and its remedy.
    public let message: String

    /// Describes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message and the code in one line.
    public var description: String { "\(message) [\(code.rawValue)]" }
}
