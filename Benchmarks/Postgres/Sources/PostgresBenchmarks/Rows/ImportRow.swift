import Duramen
import DuramenModel
import Foundation

/// An import of many rows by one batch.
@MainActor
final class ImportRow {
    private let count: Int
    private let server: String
    private let schema = "bench_import"
    private let rawSchema = "bench_copy"

    init(_ server: String, count: Int) throws {
        self.server = server
        self.count = count
    }

    func run(_ report: Report) throws {
        let name = "6 import of \(count) rows"
        let isMeasured = report.options.includes(name)
        guard isMeasured || report.options.includes("4 group count of \(count) rows") else {
            return
        }
        let quakes = Workload.quakes(count)
        let raw = try RawConnection(server)
        defer { raw.close() }
        let store = QuakeStore(server, schema: schema)
        try store.fill([])
        let container = try store.open()
        let regions = try container.makeContext().fetchObjectIDs(FetchRequest<Region>())
        // The same tables and indexes.
        try QuakeStore(server, schema: rawSchema).fill([])
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("PostgresBenchmarks-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try report.measure(
            name,
            [
                Contestant(
                    name: "-", prepare: { [self] in try raw.run("TRUNCATE \(schema).quake") }
                ) {
                    try Clock.median(1) { _ in
                        try QuakeStore.insert(quakes, regions, into: container)
                    }
                },
                Contestant(
                    name: "raw COPY",
                    prepare: { [self] in try raw.run("TRUNCATE \(rawSchema).quake") }
                ) { [self] in
                    try Clock.median(1) { _ in try copy(quakes, raw) }
                },
                inFile(quakes, folder.appendingPathComponent("objects")),
                asRecords(quakes, folder),
            ], limits: [1.5, nil, 4])
        if !isMeasured { try QuakeStore.insert(quakes, regions, into: container) }
        let stored = try raw.texts("SELECT count(*) FROM \(schema).quake")
        precondition(stored == [String(count)])
        let counting = try RawQuakes(server, schema: schema)
        try GroupRow(container: container, raw: counting, count: count).measure(report, limit: 1.1)
        counting.close()
        try container.close()
    }

    private func copy(_ quakes: [QuakeValues], _ raw: RawConnection) throws {
        var index = 0
        try raw.run("BEGIN")
        try raw.copy(
            "COPY \(rawSchema).quake (id, entity, version, code, depth, felt, is_reviewed, "
                + "magnitude, place, region, time) FROM STDIN (FORMAT binary)"
        ) { buffer in
            guard index < quakes.count else { return false }
            let quake = quakes[index]
            index += 1
            buffer.begin(columns: 11)
            buffer.add(Int64(index))
            buffer.add(1 as Int32)
            buffer.add(1 as Int64)
            buffer.add(quake.code)
            buffer.add(quake.depth)
            if let felt = quake.felt { buffer.add(felt) } else { buffer.addNull() }
            buffer.add(quake.isReviewed)
            buffer.add(quake.magnitude)
            buffer.add(quake.place)
            buffer.add(Int64(quake.region + 1))
            buffer.add(quake.time)
            return true
        }
        try raw.run("COMMIT")
    }

    private func inFile(_ quakes: [QuakeValues], _ folder: URL) -> Contestant {
        var container: PersistentContainer?
        var regions: [ManagedObjectID] = []
        return Contestant(
            name: "DuramenSQLite",
            prepare: {
                try container?.close()
                try Self.empty(folder)
                let made = try QuakeStore(path: folder.appendingPathComponent("q.sqlite").path)
                    .open()
                regions = try QuakeStore.addRegions(to: made)
                container = made
            },
            body: {
                guard let container else { return 0 }
                return try Clock.median(1) { _ in
                    try QuakeStore.insert(quakes, regions, into: container)
                }
            })
    }

    private func asRecords(_ quakes: [QuakeValues], _ folder: URL) -> Contestant {
        let folder = folder.appendingPathComponent("records")
        var file: QuakeFile?
        return Contestant(
            name: "GRDB",
            prepare: {
                try file?.close()
                try Self.empty(folder)
                file = try QuakeFile(path: folder.appendingPathComponent("q.sqlite").path)
            },
            body: { try Clock.median(1) { _ in try file?.insert(quakes) } })
    }

    private static func empty(_ folder: URL) throws {
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
}
