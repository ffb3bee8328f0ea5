import Foundation

/// Counts the instructions of a row's work in a process of its own, under valgrind.
enum InstructionCounter {
    /// - Throws: ``GrowthError/notCounted(_:)`` with what was printed when the run failed.
    static func count(_ row: GrowthRow, _ kind: StoreKind, size: Int) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
            "--collect-atstart=no", "--toggle-collect=measure_counted",
            CommandLine.arguments[0], row.word, "--store", kind.rawValue, "--counted-size",
            "\(size)",
        ]
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        guard process.terminationStatus == 0,
            let line = text.split(separator: "\n").first(where: { $0.contains("Collected") }),
            let count = line.split(separator: " ").last.flatMap({ Double($0) }), count > 0
        else { throw GrowthError.notCounted(text) }
        return count
    }
}
