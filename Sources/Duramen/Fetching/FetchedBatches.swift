import DuramenModel
import DuramenStore

/// The batches of a lazy result, of which the last few are kept.
final class FetchedBatches {
    private struct Batch {
        let number: Int
        let objects: [ManagedObject]
    }

    /// For the present position of an iteration, its previous position, and an access elsewhere.
    private static let keptCount = 3

    let ids: [ManagedObjectID]
    let size: Int
    private let refreshes: Bool
    private let prefetches: [[String]]
    private let handle: ContextHandle
    /// The last batches loaded, the newest first.
    private var kept: [Batch] = []

    init(_ request: ErasedFetchRequest, size: Int, in context: ManagedObjectContext) throws {
        guard size > 0 else {
            throw ContextError(
                .invalidRequest, "A fetch request has a batch size of \(size); give 1 or more.")
        }
        let model = context.persistentStoreCoordinator.managedObjectModel
        let entity = try request.entity(in: model)
        prefetches = try request.prefetchPaths(from: entity, in: model)
        self.size = size
        refreshes = request.refreshes
        handle = context.main.handle
        if refreshes { try context.refreshChangedObjects(of: request) }
        ids = try context.objectIDs(request)
        try Self.check(ids, request, in: context)
    }

    /// Throws if objects have a different class than requested.
    ///
    /// - Throws: ``ContextError`` `.invalidRequest`.
    private static func check(
        _ ids: [ManagedObjectID], _ request: ErasedFetchRequest, in context: ManagedObjectContext
    ) throws {
        var checked = EntityHandle(rawValue: 0)
        for id in ids where id.entityHandle != checked {
            checked = id.entityHandle
            let model = context.persistentStoreCoordinator.managedObjectModel
            let named = model.entity(for: checked)?.managedObjectClass?.type as? ManagedObject.Type
            let objectClass = named ?? ManagedObject.self
            if request.accepts(objectClass) { continue }
            throw ContextError(
                .invalidRequest,
                "The fetch request asks for \(request.objectClass), but \(id) is of class \(objectClass). "
                    + "Fetch the class that the model names.", objectID: id)
        }
    }

    func object(at position: Int) -> ManagedObject {
        precondition(
            ids.indices.contains(position),
            "Duramen: there are \(ids.count) results, and none at \(position).")
        let number = position / size
        let index = position - number * size
        if let first = kept.first, first.number == number { return first.objects[index] }
        return batch(number).objects[index]
    }

    func index(of object: ManagedObject) -> Int? {
        let id = object.objectID
        let context = context
        return ids.firstIndex { $0 == id || context.main.currentID(of: $0) == id }
    }

    private var context: ManagedObjectContext {
        guard let context = handle.liveContext else {
            fatalError(
                "Duramen: results of a fetch were used after their context '\(handle.contextName)' was gone. "
                    + "Keep the context for as long as its objects are used.")
        }
        return context
    }

    private func batch(_ number: Int) -> Batch {
        if let index = kept.firstIndex(where: { $0.number == number }) {
            kept.insert(kept.remove(at: index), at: 0)
            return kept[0]
        }
        let context = context
        let batch = Batch(number: number, objects: read(number, in: context))
        kept.insert(batch, at: 0)
        if kept.count > Self.keptCount {
            kept.removeLast()
            // A unit of work may iterate over more objects than fit in memory.
            context.sweepSome()
        }
        return batch
    }

    private func read(_ number: Int, in context: ManagedObjectContext) -> [ManagedObject] {
        let own = Array(ids[number * size..<min((number + 1) * size, ids.count)])
        let objects = own.map { context.object(with: $0) }
        let unread =
            refreshes
            ? objects.filter { !$0.flags.contains(.inserted) } : objects.filter(\.isToBeRead)
        // An object that cannot be loaded stays a fault, and reports the error when it is loaded
        // alone.
        for (part, ids) in context.parts(of: unread.map(\.objectID)) where !ids.isEmpty {
            try? part.readBatch(ids, refreshing: refreshes)
        }
        for path in prefetches { try? context.prefetch(path, from: objects) }
        context.awakeObjects()
        return objects
    }
}

extension ManagedObjectContext {
    /// Releases some objects that nothing references, as the end of a unit of work does.
    fileprivate func sweepSome() {
        for part in parts {
            for table in part.tables where table.registeredSinceSweep > 0 {
                table.sweep(limit: table.registeredSinceSweep * 2)
                table.wasSweptWithinUnit = true
            }
        }
    }
}

extension ContextPart {
    /// Loads objects of this part.
    fileprivate func readBatch(_ ids: [ManagedObjectID], refreshing: Bool) throws {
        let known = registeredHere(ids[0])
        if let known { try roundTrips?.checkFault(of: known, nil) }
        for group in ids.groups {
            persistentStoreCoordinator.countFault()
            countRoundTrip(RoundTrip(.batch, group[0].entityName, nil, group[0], group.count))
            try registerRows(of: group, refreshing: refreshing)
        }
    }
}
