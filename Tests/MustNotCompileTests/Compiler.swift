import Dispatch
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
    ///
    /// - Parameter folder: Where modules are that stand for those of the build.
    func compile(
        _ files: [URL], options: [String], modulesIn folder: URL? = nil
    ) async throws -> Compilation {
        try await run(
            ["-emit-sil", "-o", "/dev/null", "-wmo"] + options, files, modulesIn: folder)
    }

    /// Compiles files to a module that others can import from a folder.
    func makeModule(
        _ name: String, of files: [URL], in folder: URL, options: [String]
    ) async throws -> Compilation {
        let place = folder.appending(path: "\(name).swiftmodule")
        return try await run(
            ["-module-name", name, "-parse-as-library", "-emit-module", "-o", place.path] + options,
            files)
    }

    /// Compiles files to a program that uses a memory store.
    func buildProgram(_ files: [URL], options: [String], at place: URL) async throws -> Compilation
    {
        try await run(
            ["-parse-as-library", "-Onone", "-o", place.path] + options,
            files + buildFolder.objectFiles())
    }

    private func run(
        _ options: [String], _ files: [URL], modulesIn folder: URL? = nil
    ) async throws -> Compilation {
        // Of several folders with a module the first one counts, of an option the last value.
        let first = folder.map { ["-I", $0.path] } ?? []
        let arguments = ["swiftc"] + first + settings + options + files.map(\.path)
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.addOperation {
                continuation.resume(
                    with: Result {
                        let (status, output) = try runProcess(
                            URL(filePath: "/usr/bin/env"), arguments)
                        return Compilation(succeeded: status == 0, output: output)
                    })
            }
        }
    }

    private var settings: [String] {
        [
            "-module-name", "Program", "-no-color-diagnostics", "-swift-version", "6",
            "-enable-upcoming-feature", "ExistentialAny",
            "-enable-upcoming-feature", "InternalImportsByDefault",
            "-enable-upcoming-feature", "MemberImportVisibility",
            "-I", buildFolder.modules.path,
            "-module-cache-path", buildFolder.moduleCache.path,
            "-load-plugin-executable", "\(buildFolder.macroPlugin.path)#DuramenMacrosPlugin",
        ]
            + ["CLMDB", "CProcessor", "CSQLite", "CSwiftRuntime", "CZlib"].flatMap { folder in
                [
                    "-Xcc",
                    "-fmodule-map-file=\(Corpus.package.path)/Sources/\(folder)/module.modulemap",
                ]
            }
    }
}

/// Runs a program to its end.
///
/// - Returns: Its exit status, not 0 when a signal ended it, and what it wrote.
func runProcess(_ program: URL, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    // Some programs are to crash, and the backtracer takes seconds, or hangs.
    process.environment = ProcessInfo.processInfo.environment.merging(
        ["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    // Nothing here takes minutes, unless it hangs.
    let deadline = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: deadline)
    defer { deadline.cancel() }
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
}
