import Foundation

/// The program, run as people run it.
struct Tool {
    var status: Int32
    var output: String
    var errors: String

    init(_ arguments: String..., width: Int = 80) throws { try self.init(arguments, width: width) }

    init(_ arguments: [String], width: Int = 80) throws {
        let process = Process()
        process.executableURL = Self.folder.appending(path: "duramen")
        process.arguments = arguments
        process.environment = ["COLUMNS": String(width)]
        try self.init(running: process)
    }

    /// Runs the program as a shell does that finds it in PATH.
    init(_ arguments: String..., foundInPathFrom workingDirectory: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["duramen"] + arguments
        process.environment = ["PATH": Self.folder.path]
        process.currentDirectoryURL = URL(filePath: workingDirectory)
        try self.init(running: process)
    }

    /// The folder of the programs and of the tests, which are built into one.
    private static var folder: URL { Bundle.main.bundleURL }

    private init(running process: Process) throws {
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        // Names what the address sanitizer must not report as a leak.
        process.environment?["LSAN_OPTIONS"] =
            ProcessInfo.processInfo.environment["LSAN_OPTIONS"]
        try process.run()
        // What the program prints fits into the pipes' buffers.
        process.waitUntilExit()
        status = process.terminationStatus
        self.output = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        self.errors = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
