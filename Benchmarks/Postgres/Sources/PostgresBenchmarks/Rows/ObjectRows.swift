import Duramen
import DuramenModel
import DuramenQuery
import Foundation

/// The rows about contexts: an object, all objects, groups, a save.
@MainActor
final class ObjectRows {
    private let container: PersistentContainer
    private let file: PersistentContainer
    private let records: QuakeFile
    private let folder: URL
    private let raw: RawQuakes
    private let ids: [ManagedObjectID]
    private let schema = "bench_objects"

    init(_ server: String) throws {
        let quakes = Workload.quakes(StoreRows.rowCount)
        let made = QuakeStore(server, schema: schema)
        try made.fill(quakes)
        container = try made.open()
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("PostgresBenchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let inFile = QuakeStore(path: folder.appendingPathComponent("quakes.sqlite").path)
        try inFile.fill(quakes)
        file = try inFile.open()
        records = try QuakeFile(path: folder.appendingPathComponent("records.sqlite").path)
        try records.insert(quakes)
        raw = try RawQuakes(server, schema: schema)
        ids = try container.makeContext().fetchObjectIDs(FetchRequest<Quake>())
    }

    func end() throws {
        raw.close()
        try container.close()
        try file.close()
        try records.close()
        try FileManager.default.removeItem(at: folder)
    }

    func measureKey(_ report: Report) throws {
        try report.measure(
            "1 key in a new context",
            [
                Contestant(name: "-") { [self] in
                    try Clock.median(500) { index in
                        let id = ids[index * 7_919 % ids.count]
                        let quake = try container.makeContext()
                            .existingObject(with: id, as: Quake.self)
                        precondition(!quake.code.isEmpty)
                    }
                },
                Contestant(name: "raw") { [self] in
                    var checksum = Checksum()
                    return try Clock.median(500) { index in
                        try raw.read(ids[index * 7_919 % ids.count].key, &checksum)
                    }
                },
            ], limits: [nil])
    }

    func measureWalk(_ report: Report) throws {
        let expected = try raw.walk(makingTexts: true).value
        try report.measure(
            "3 10,000 objects",
            [
                objects(in: container, expected),
                Contestant(name: "raw result") { [self] in
                    try Clock.median(5) { _ in
                        let sum = try raw.walk(makingTexts: true)
                        precondition(sum.value == expected)
                    }
                },
                objects(in: file, nil),
                Contestant(name: "GRDB") { [self] in
                    try Clock.median(5) { _ in
                        var checksum = Checksum()
                        for record in try records.records() { checksum.add(record) }
                        precondition(checksum.value == expected)
                    }
                },
            ], limits: [1.6, 3, 3])
    }

    private func objects(in container: PersistentContainer, _ expected: Int?) -> Contestant {
        Contestant(name: "DuramenSQLite") {
            try Clock.median(5) { _ in
                var checksum = Checksum()
                let context = container.makeContext()
                for quake in try context.fetch(FetchRequest<Quake>()) { checksum.add(quake) }
                if let expected { precondition(checksum.value == expected) }
            }
        }
    }

    func measureGroups(_ report: Report) throws {
        try GroupRow(container: container, raw: raw, count: StoreRows.rowCount)
            .measure(report, limit: nil)
    }

    func measureSave(_ report: Report) throws {
        let context = container.makeContext()
        let quakes = try ids[0..<3].map { try context.existingObject(with: $0, as: Quake.self) }
        let save = try RawSave(
            raw.connection, schema: schema, keys: ids[10..<13].map(\.key), stamp: 1 << 40)
        try report.measure(
            "5 save of 3 objects",
            [
                Contestant(name: "-") {
                    try Clock.median(200) { _ in
                        for quake in quakes { quake.magnitude = 10 - quake.magnitude }
                        try context.save()
                    }
                },
                Contestant(name: "raw pipeline") { try Clock.median(200) { _ in try save.save() } },
            ], limits: [1.4])
    }
}
