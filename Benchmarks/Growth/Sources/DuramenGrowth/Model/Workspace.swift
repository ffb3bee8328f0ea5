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
    let container: PersistentContainer
    private let folder: URL

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
        container = try PersistentContainer.open(
            model: ManagedObjectModel(Item.self, Group.self, List.self, Tag.self, Person.self),
            stores: [keepsHistory ? plain.keepingHistory() : plain])
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
