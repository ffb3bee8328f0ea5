import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import Foundation

/// The stores that a row runs over.
enum StoreKind: String, CaseIterable {
    case memory, sqlite, lmdb
}

/// A store of its own with items, in a folder that ends with it.
@MainActor
final class Workspace {
    private(set) var container: PersistentContainer
    private let folder: URL
    private let store: PersistentStoreDescription

    init(_ kind: StoreKind, keepsHistory: Bool = false) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("DuramenGrowth-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("store").path
        let plain: PersistentStoreDescription =
            switch kind {
            case .memory: .memory()
            case .sqlite: .sqlite(path).durability(.relaxed)
            case .lmdb: .lmdb(path).durability(.relaxed)
            }
        store = keepsHistory ? plain.keepingHistory() : plain
        container = try Self.open(store)
    }

    private static func open(_ store: PersistentStoreDescription) throws -> PersistentContainer {
        try PersistentContainer.open(
            model: ManagedObjectModel(Item.self, Group.self, List.self, Tag.self, Person.self),
            stores: [store])
    }

    /// Closes the store and opens it again, with a check of the structure of its file.
    func reopenChecked() throws {
        try container.close()
        container = try Self.open(store.fileCheck(.always))
    }

    /// The pages of an LMDB store, of 4 KiB each.
    func pageCount() throws -> Int {
        let path = folder.appendingPathComponent("store/data.mdb").path
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return (size ?? 0) / 4_096
    }

    deinit {
        try? container.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func makeContext() -> ManagedObjectContext { container.makeContext() }

    /// Saves items with numbers, in a context of their own.
    ///
    /// - Parameter complete: Makes the closure that completes each item, such as by giving it an
    ///   owner.
    func fill(
        _ numbers: Range<Int>,
        _ complete: (ManagedObjectContext) throws -> (Item) -> Void = { _ in { _ in } }
    ) throws {
        let context = makeContext()
        let complete = try complete(context)
        for number in numbers { complete(Item.insert(number, in: context)) }
        try context.save()
    }
}

extension Item {
    static func name(_ number: Int) -> String { "item \(number)" }

    /// A new item, named after its number.
    static func insert(_ number: Int, in context: ManagedObjectContext) -> Item {
        let item = Item(context: context)
        item.name = name(number)
        item.number = Int64(number)
        return item
    }
}
