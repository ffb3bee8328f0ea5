import Foundation

/// The program, run as people run it.
struct Tool {
    var status: Int32
    var output: String
    var errors: String

    init(_ arguments: String..., width: Int = 80) throws { try self.init(arguments, width: width) }

    init(_ arguments: [String], width: Int = 80) throws {
        // Tests and programs are built into one folder.
        let program = Bundle.main.bundleURL.appending(path: "duramen")
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ["COLUMNS": String(width)]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
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
