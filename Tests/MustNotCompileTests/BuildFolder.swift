import Foundation

/// Where the package manager put what it built.
struct BuildFolder: Sendable {
    let modules: URL
    let moduleCache: URL
    let macroPlugin: URL
    /// Where a package has macros, its tests may be built beside them, for the host: with this in
    /// the names.
    private let suffix: String
    private let folder: URL

    /// Finds the folder above the test bundle that is running.
    static func ofThisProcess() throws -> BuildFolder {
        for argument in CommandLine.arguments where argument.contains("/") {
            var folder = URL(filePath: argument).standardizedFileURL
            while folder.path != "/" {
                if let found = BuildFolder(folder) { return found }
                folder.deleteLastPathComponent()
            }
        }
        throw NoBuildFolder()
    }

    private init?(_ folder: URL) {
        let built = ["", "-tool"].compactMap { suffix in
            Self.dateOfLibrary(in: folder.appending(path: "Modules\(suffix)")).map { (suffix, $0) }
        }
        guard let newest = built.max(by: { $0.1 < $1.1 }) else { return nil }
        self.folder = folder
        suffix = newest.0
        modules = folder.appending(path: "Modules\(suffix)")
        moduleCache = folder.appending(path: "ModuleCache")
        macroPlugin = folder.appending(path: "DuramenMacrosPlugin-tool")
    }

    /// The object files of the core and the memory store.
    func objectFiles() throws -> [URL] {
        let own = [
            "Duramen", "DuramenArchives", "DuramenModel", "DuramenQuery", "DuramenStore",
            "DuramenMemory",
        ]
        let others = ["HashTreeCollections", "InternalCollectionsUtilities"]
        return try own.flatMap { module in
            // What an earlier build left of a file that is gone does not count.
            let sources = Set(Corpus.sources(of: module).map { $0.lastPathComponent + ".o" })
            return try objectFiles(of: module).filter { sources.contains($0.lastPathComponent) }
        } + others.flatMap(objectFiles)
    }

    private func objectFiles(of module: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: "\(module)\(suffix).build"),
            includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "o" }
    }

    private static func dateOfLibrary(in folder: URL) -> Date? {
        let isWhole = ["DuramenMacros", "DuramenSQLite", "DuramenTestKit"].allSatisfy {
            FileManager.default.fileExists(
                atPath: folder.appending(path: "\($0).swiftmodule").path)
        }
        let library = folder.appending(path: "Duramen.swiftmodule").path
        guard isWhole else { return nil }
        return (try? FileManager.default.attributesOfItem(atPath: library))?[.modificationDate]
            as? Date
    }
}

/// The modules of this build were not found.
struct NoBuildFolder: Error, CustomStringConvertible {
    var description: String {
        "No folder above \(CommandLine.arguments.first ?? "the test bundle") has the modules of "
            + "Duramen, DuramenMacros, DuramenSQLite and DuramenTestKit. Run the tests with `swift test`."
    }
}
