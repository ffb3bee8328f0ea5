import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation

/// Asks all stores random questions, and prints what was asked and what was not answered alike.
@main struct QueryCampaign {
    static func main() throws {
        let arguments = try Arguments(CommandLine.arguments.dropFirst())
        let folder = try Folder()
        defer { folder.remove() }
        let campaign = QueryFuzzCampaign(
            firstSeed: arguments.firstSeed, cases: arguments.cases, jobs: arguments.jobs
        ) { seed in try folder.stores(seed) }
        let start = Date()
        let record = campaign.run { line in
            print(line)
            fflush(nil)
        }
        FileHandle.standardError.write(
            Data("took \(Int(-start.timeIntervalSinceNow.rounded())) seconds\n".utf8))
        print(record.text(commit: arguments.commit))
        folder.remove()
        if record.disagreements > 0 { exit(1) }
    }
}

/// What was asked for on the command line.
struct Arguments {
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var cases = 100_000
    private(set) var firstSeed: UInt64 = 1
    private(set) var jobs = 1
    private(set) var commit = "unknown"

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        while let name = words.next() {
            guard let value = words.next() else {
                throw Mistake(description: "\(name) has no value")
            }
            switch name {
            case "--cases": cases = try Self.number(name, value)
            case "--seed": firstSeed = try Self.number(name, value)
            case "--jobs": jobs = try Self.number(name, value)
            case "--commit": commit = value
            default: throw Mistake(description: "\(name) is not known")
            }
        }
        if cases < 1 || jobs < 1 {
            throw Mistake(description: "--cases and --jobs take a number from 1 up")
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ name: String, _ text: String
    ) throws -> Number {
        guard let number = Number(text) else {
            throw Mistake(description: "\(name) takes a number, not '\(text)'")
        }
        return number
    }
}

/// Where the stores' files are: in memory where the system has a folder there.
struct Folder: Sendable {
    private let path: String

    init() throws {
        let memory = "/dev/shm"
        let parent =
            FileManager.default.isWritableFile(atPath: memory)
            ? memory : FileManager.default.temporaryDirectory.path
        path = "\(parent)/duramen-query-campaign-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// The stores of one world. Nothing of them has to outlast it.
    func stores(_ seed: UInt64) throws -> [(name: String, fixture: StoreFixture)] {
        let path = "\(path)/\(seed)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return [
            ("memory", StoreFixture { number in .memory("campaign-\(seed)-\(number)") }),
            (
                "SQLite",
                StoreFixture { number in
                    .sqlite("\(path)/\(number).sqlite").durability(.unsafeNoSync)
                }
            ),
            (
                "LMDB",
                StoreFixture(
                    { number in .lmdb("\(path)/\(number).lmdb").durability(.unsafeNoSync) },
                    // The last one that is closed.
                    cleanUp: { try? FileManager.default.removeItem(atPath: path) })
            ),
        ]
    }
}
