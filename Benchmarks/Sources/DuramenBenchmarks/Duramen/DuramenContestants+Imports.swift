import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import Foundation

extension DuramenContestants {
    /// The bytes of a feed with a book for each row, and an author for each fifth one.
    static func feed(_ count: Int) -> Data {
        var json = "["
        for number in 0..<count {
            json += number == 0 ? "\n" : ",\n"
            json += """
                {"isbn":"978-\(number)","title":"The title of book \(number)","pages":\(number % 900),\
                "rating":\(Double(number % 50) / 10),"writer":{"name":"Writer \(number % max(count / 5, 1))"}}
                """
        }
        return Data((json + "\n]").utf8)
    }

    /// Imports a feed into an empty store, which is in memory when it has no kind.
    static func importFeed(_ dataset: Dataset, _ kind: StoreKind?, _ feed: Data) -> Contestant {
        filling(dataset, kind, .duramen) { context in
            try context.import(from: .json(feed), into: Volume.self)
        }
    }

    /// Does the same by hand: decodes the feed, inserts the authors that are new, and then the
    /// books, which name them.
    static func importByHand(_ dataset: Dataset, _ kind: StoreKind?, _ feed: Data) -> Contestant {
        struct Row: Decodable {
            struct Writer: Decodable { var name: String }
            var isbn: String
            var title: String
            var pages: Int
            var rating: Double
            var writer: Writer
        }
        return filling(dataset, kind, .duramenBatches) { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let rows = try JSONDecoder().decode([Row].self, from: feed)
            var names = Set(rows.map(\.writer.name)).makeIterator()
            try context.execute(
                BatchInsertRequest(Writer.self) { row in
                    guard let name = names.next() else { return true }
                    row[\.name] = name
                    return false
                })
            var rest = rows.makeIterator()
            try context.execute(
                BatchInsertRequest(Volume.self) { row in
                    guard let next = rest.next() else { return true }
                    row[\.isbn] = next.isbn
                    row[\.title] = next.title
                    row[\.pages] = next.pages
                    row[\.rating] = next.rating
                    row[\.writer, \.name] = next.writer.name
                    return false
                })
        }
    }

    private static func filling(
        _ dataset: Dataset, _ kind: StoreKind?, _ role: Role,
        _ work: @escaping @MainActor (ManagedObjectContext) throws -> Void
    ) -> Contestant {
        var container: PersistentContainer?
        return Contestant(
            role,
            prepare: {
                let name = "import-\(role.rawValue)"
                let store: PersistentStoreDescription =
                    switch kind {
                    case .sqlite: .sqlite(try dataset.emptyPath(name)).durability(.relaxed)
                    case .lmdb: .lmdb(try dataset.emptyPath(name, for: .lmdb)).durability(.relaxed)
                    case nil: .memory()
                    }
                container = try PersistentContainer.open(
                    model: ManagedObjectModel(Volume.self, Writer.self), stores: [store])
            },
            verify: {
                guard let context = container?.makeContext() else { return 0 }
                var checksum = Checksum()
                for volume in try context.fetch(FetchRequest<Volume>().prefetching(\.writer)) {
                    checksum.add(magnitude: volume.rating + Double(volume.writer?.name.count ?? 0))
                }
                return checksum.value
            },
            finish: {
                try container?.close()
                container = nil
            },
            body: {
                guard let container else { return Outcome(0) }
                try work(container.makeContext())
                return Outcome(dataset.rowCount)
            })
    }
}
