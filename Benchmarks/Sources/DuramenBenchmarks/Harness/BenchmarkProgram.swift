import CBenchmarkLMDB
import CBenchmarkSQLite
import Foundation

/// Measures Duramen beside its peers; `Scripts/bench` builds and runs this.
@main
@MainActor
struct BenchmarkProgram {
    private let options: BenchmarkOptions
    private let datasets: Datasets
    private let runner: MeasurementRunner
    private var report = Report()
    private var documents: [ResultDocument] = []

    static func main() async {
        do {
            let options = try BenchmarkOptions(CommandLine.arguments.dropFirst())
            if options.showsUsage {
                print(BenchmarkOptions.usage)
                return
            }
            let rows = try options.selection(from: BenchmarkRow.all)
            if options.listsRows {
                for row in BenchmarkRow.all { print("\(row.number)\t\(row.word)\t\(row.title)") }
                return
            }
            var program = try BenchmarkProgram(options)
            let isGood = try await program.run(rows)
            if !isGood { exit(1) }
        } catch let error as UsageError {
            complain("\(error.message)\n\(BenchmarkOptions.usage)")
            exit(2)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private init(_ options: BenchmarkOptions) throws {
        self.options = options
        datasets = try Datasets()
        runner = MeasurementRunner(rounds: options.rounds)
    }

    /// - Returns: Whether every measurement could be made, and in strict runs whether every line
    ///   that must be kept is kept.
    private mutating func run(_ rows: [BenchmarkRow]) async throws -> Bool {
        defer { datasets.remove() }
        print(
            "SQLite \(String(cString: sqlite3_libversion())), LMDB \(lmdbVersion), GRDB 7.10.0, "
                + "\(options.rowCount) rows"
        )
        print("Processor time, medians; ratios are medians of the ratios of one round.")
        var isComplete = true
        for row in rows {
            do {
                try await run(row)
            } catch {
                isComplete = false
                report.add(failureOf: "\(row.number) \(row.word)", error)
            }
        }
        report.printSummary()
        if let path = options.jsonPath { try ResultDocument.write(documents, to: path) }
        return isComplete && !(options.isStrict && report.misses > 0)
    }

    private mutating func run(_ row: BenchmarkRow) async throws {
        let dataset = try datasets.dataset(rowCount: options.rowCount)
        guard row.number == BenchmarkRow.scaling.number else {
            for whole in try await row.measurements(dataset) {
                let measurement =
                    options.onlyRole.map {
                        whole.restricted(to: [$0], name: whole.name, targets: [])
                    } ?? whole
                for result in try await runner.run([measurement]) {
                    add(result, rowCount: options.rowCount)
                }
            }
            return
        }
        let largeCount = options.rowCount * 10
        let scaling = ScalingRow(
            small: dataset, large: try datasets.dataset(rowCount: largeCount))
        for row in BenchmarkRow.all {
            for result in try await scaling.results(of: row, runner) {
                add(result, rowCount: largeCount)
            }
        }
    }

    private mutating func add(_ result: MeasurementResult, rowCount: Int) {
        report.add(result)
        documents.append(ResultDocument(result: result, rowCount: rowCount))
    }

    private var lmdbVersion: String {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
    }
}
