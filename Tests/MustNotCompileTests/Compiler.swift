import Foundation

/// The Swift compiler, with the modules of this build and the settings of this package.
struct Compiler: Sendable {
    /// The build that the tests are part of.
    static let ofThisBuild = Result { try Compiler(buildFolder: BuildFolder.ofThisProcess()) }

    /// Two at a time: the compiler uses a processor and a few hundred megabytes each.
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        return queue
    }()

    let buildFolder: BuildFolder

    /// Compiles files as one module, up to the intermediate language: the checks of regions and of
    /// ownership run after type checking.
    func compile(_ files: [URL], options: [String]) async throws -> Compilation {
        let arguments = settings + options + files.map(\.path)
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.addOperation {
                continuation.resume(with: Result { try Self.run(arguments) })
            }
        }
    }

    private var settings: [String] {
        [
            "swiftc", "-emit-sil", "-o", "/dev/null", "-wmo", "-module-name", "Program",
            "-no-color-diagnostics", "-swift-version", "6",
            "-enable-upcoming-feature", "ExistentialAny",
            "-enable-upcoming-feature", "InternalImportsByDefault",
            "-enable-upcoming-feature", "MemberImportVisibility",
            "-I", buildFolder.modules.path,
            "-module-cache-path", buildFolder.moduleCache.path,
            "-load-plugin-executable", "\(buildFolder.macroPlugin.path)#DuramenMacrosPlugin",
        ]
            + ["CProcessor", "CSQLite", "CSwiftRuntime/include", "CZlib"].flatMap { folder in
                [
                    "-Xcc",
                    "-fmodule-map-file=\(Corpus.package.path)/Sources/\(folder)/module.modulemap",
                ]
            }
    }

    private static func run(_ arguments: [String]) throws -> Compilation {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Compilation(
            succeeded: process.terminationStatus == 0,
            output: String(decoding: bytes, as: UTF8.self))
    }
}

/// Where the package manager put what it built.
struct BuildFolder: Sendable {
    let modules: URL
    let moduleCache: URL
    let macroPlugin: URL

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
        // Where a package has macros, its tests may be built beside them, for the host.
        let candidates = ["Modules", "Modules-tool"].map { folder.appending(path: $0) }
        let built = candidates.compactMap { candidate in
            Self.dateOfLibrary(in: candidate).map { (candidate, $0) }
        }
        guard let newest = built.max(by: { $0.1 < $1.1 }) else { return nil }
        modules = newest.0
        moduleCache = folder.appending(path: "ModuleCache")
        macroPlugin = folder.appending(path: "DuramenMacrosPlugin-tool")
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
