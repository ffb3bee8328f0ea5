import Foundation

/// The versions of a model that have shipped, each archived in a file of a folder.
///
/// ```
/// Models/1.0.duramenmodel
/// Models/1.1.duramenmodel
/// ```
/// Frozen versions are data, because editing a class would change every version that uses it. An
/// edited file fails to load, because its checksum does not match.
public struct FrozenModels: Sendable {
    /// A frozen version of a model.
    public struct Version: Sendable {
        /// The file's name without its extension.
        public let name: String
        /// The path of the file.
        public let path: String
        /// The model of the version. It has no classes, so its objects are plain.
        public let model: ManagedObjectModel
    }

    /// The path of the folder that has the files.
    public let folder: String
    /// The versions, sorted by name. Numbers in names sort numerically: 1.10 comes after 1.9.
    public let versions: [Version]

    /// The extension of the files' names.
    public static let pathExtension = "duramenmodel"

    /// Loads all versions that are frozen in a folder.
    ///
    /// - Throws: ``FrozenModelError`` `.unreadable` if the folder or a file cannot be read, or if a
    ///   file was edited.
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

    /// Loads the version that is frozen in a file.
    ///
    /// - Throws: ``FrozenModelError`` `.unreadable` if the file cannot be read or was edited.
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

    /// Returns the version with the given name, or nil if there is none.
    public subscript(name: String) -> Version? {
        let name = StoredText(name)
        return versions.first { StoredText($0.name) == name }
    }

    /// Archives a model in a new file.
    ///
    /// - Parameters:
    ///   - model: The model to freeze.
    ///   - name: The name of the version, such as `1.1`.
    ///   - folder: The folder of the file. It is created if it does not exist.
    /// - Returns: The path of the file.
    /// - Throws: ``FrozenModelError`` `.nameTaken` if the file exists with another version, or
    ///   `.unreadable` if the existing file cannot be read. `.unwritable` if the name is not a file
    ///   name or the file cannot be written.
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

    /// Returns why a model is not the last frozen version; nil if it is.
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

/// An error that says why frozen versions of a model cannot be used.
public struct FrozenModelError: Error, Sendable, Hashable, DescribedError {
    /// The kind of the error: an open set with stable spellings, headings in `docs/errors.md`.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling.
        public let rawValue: String

        /// Creates a code with the given spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file is missing or damaged, or was edited after it was frozen.
        public static let unreadable = Code(rawValue: "frozenModelUnreadable")
        /// A file cannot be written.
        public static let unwritable = Code(rawValue: "frozenModelUnwritable")
        /// The name belongs to another version.
        public static let nameTaken = Code(rawValue: "frozenModelNameTaken")
        /// The present model differs from the last frozen version.
        public static let notFrozen = Code(rawValue: "modelNotFrozen")
        /// A default of the present model has a different value each time it is computed.
        public static let changingDefault = Code(rawValue: "changingDefault")
    }

    /// The kind of the error.
    public let code: Code
    /// A description of the problem and its remedy.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message and the code in one line.
    public var description: String { "\(message) [\(code.rawValue)]" }
}
