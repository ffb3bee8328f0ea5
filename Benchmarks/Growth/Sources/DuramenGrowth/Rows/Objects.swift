import Duramen

extension GrowthRow {
    /// The main operations of contexts, which have rows of their own in the benchmark beside peers.
    static var objects: [GrowthRow] {
        [
            GrowthRow(number: nil, word: "insert", unit: "object", size: 10_000, countedSize: 300) {
                kind, count in
                let workspace = try Workspace(kind)
                return Work(units: count) { try workspace.fill(0..<count) }
            },
            stored("fetch", unit: "object") { _, context, count in
                { try expect(context.fetch(FetchRequest<Item>()).count == count) }
            },
            stored("count", unit: "object") { _, context, count in
                let request = FetchRequest<Item>().where { $0.number >= 0 }
                return { try expect(context.count(for: request) == count) }
            },
            stored("look-up", unit: "object") { _, context, count in
                let ids = try context.fetchObjectIDs(FetchRequest<Item>())
                return {
                    for id in ids { _ = try context.existingObject(with: id, as: Item.self) }
                }
            },
            stored("page", unit: "object", units: 50, stores: indexed) { _, context, count in
                let request = FetchRequest<Item>().sorted(by: \.number).limit(50)
                _ = try context.fetch(request)
                return { try expect(context.fetch(request).count == 50) }
            },
            stored("fetch-by-unique-text", unit: "object", stores: indexed) { _, context, count in
                {
                    for number in 0..<count {
                        let name = Item.name(number)
                        let request = FetchRequest<Item>().where { $0.name == name }
                        try expect(context.fetch(request).count == 1)
                    }
                }
            },
            stored("update", unit: "object") { _, context, _ in
                let items = try context.fetch(FetchRequest<Item>())
                return {
                    for item in items { item.number += 1 }
                    try context.save()
                }
            },
            stored("delete", unit: "object") { _, context, _ in
                let items = try context.fetch(FetchRequest<Item>())
                return {
                    for item in items { context.delete(item) }
                    try context.save()
                }
            },
            stored("undo", unit: "object") { _, context, _ in
                context.undoManager = ContextUndoManager()
                let items = try context.fetch(FetchRequest<Item>())
                return {
                    for item in items { item.number += 1 }
                    try context.undo()
                    try context.redo()
                }
            },
            stored("child-save", unit: "object") { _, context, _ in
                let child = ManagedObjectContext(parent: context)
                let items = try child.fetch(FetchRequest<Item>())
                return {
                    for item in items { item.number += 1 }
                    try child.save()
                }
            },
            stored("one-save-beside-many", unit: "save", units: 20) { _, context, _ in
                let items = try context.fetch(FetchRequest<Item>())
                return {
                    for item in items.prefix(20) {
                        item.text += "."
                        try context.save()
                    }
                }
            },
            stored("one-save-of-a-child-beside-many", unit: "save", units: 20) { _, context, _ in
                let items = try context.fetch(FetchRequest<Item>())
                let child = ManagedObjectContext(parent: context)
                let own = try items.prefix(20).map {
                    try child.existingObject(with: $0.objectID, as: Item.self)
                }
                return {
                    for item in own {
                        item.text += "."
                        try child.save()
                    }
                    withExtendedLifetime(items) {}
                }
            },
            stored("one-merge-beside-many", unit: "merge", units: 20) { workspace, context, _ in
                let items = try context.fetch(FetchRequest<Item>())
                let ids = items.prefix(20).map(\.objectID)
                let writer = workspace.makeContext()
                let own = try ids.map { try writer.existingObject(with: $0, as: Item.self) }
                return {
                    for item in own {
                        item.text += "."
                        try writer.save()
                        context.processPendingChanges()
                    }
                    withExtendedLifetime(items) {}
                }
            },
            stored("one-list-change-beside-many", unit: "change", units: 20) { _, context, count in
                let controller = FetchedResultsController(
                    fetchRequest: FetchRequest<Item>().sorted(by: \.number),
                    managedObjectContext: context)
                let witness = Teller()
                controller.delegate = witness
                try controller.performFetch()
                let items = Array(try context.fetch(FetchRequest<Item>()).prefix(20))
                return {
                    for item in items {
                        item.number += Int64(count)
                        context.processPendingChanges()
                    }
                    withExtendedLifetime((controller, witness)) {}
                }
            },
            stored("batch-update", unit: "object") { _, context, _ in
                { try context.execute(BatchUpdateRequest<Item>().set(\.text, to: "new")) }
            },
            stored("batch-delete", unit: "object") { _, context, _ in
                { try context.execute(BatchDeleteRequest(FetchRequest<Item>())) }
            },
            stored("walk-to-one", unit: "object") { _, context, count in
                let items = try context.fetch(FetchRequest<Item>())
                return {
                    var sum: Int64 = 0
                    for item in items { sum += item.group?.number ?? 0 }
                    try expect(sum >= 0)
                }
            },
        ]
    }

    /// The memory store has no indexes.
    private static var indexed: [StoreKind] { [.sqlite, .lmdb] }

    /// Work in a context of a store that has items in groups of ten.
    private static func stored(
        _ word: String, unit: String, units: Int? = nil, stores: [StoreKind] = StoreKind.allCases,
        _ prepare:
            @escaping @MainActor (Workspace, ManagedObjectContext, Int) throws -> (
                @MainActor () throws -> Void
            )
    ) -> GrowthRow {
        GrowthRow(
            number: nil, word: word, unit: unit, size: 10_000, countedSize: 300, stores: stores
        ) { kind, count in
            let workspace = try Workspace(kind)
            try workspace.fill(0..<count) { context in
                let groups = (0..<count / 10).map { number in
                    let group = Group(context: context)
                    group.number = Int64(number)
                    return group
                }
                return { $0.group = groups[Int($0.number) / 10] }
            }
            let context = workspace.makeContext()
            let body = try prepare(workspace, context, count)
            return Work(units: units ?? count) {
                try body()
                withExtendedLifetime((workspace, context)) {}
            }
        }
    }
}

/// Listens to a list.
private final class Teller: FetchedResultsControllerDelegate {
    typealias Object = Item
}
