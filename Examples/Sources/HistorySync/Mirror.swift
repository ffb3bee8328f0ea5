import Duramen
import PackageModel

/// Copies what a history tells from one store into another.
///
/// The stores have keys of their own, so objects are known by what is unique about them: in the
/// history's tombstones too, since the model preserves it.
struct Mirror: Sendable {
    private let source: PersistentContainer
    private let target: PersistentContainer

    init(source: PersistentContainer, target: PersistentContainer) {
        self.source = source
        self.target = target
    }

    /// Takes over what a consumer is given.
    ///
    /// - Returns: How many transactions it was, and the token to acknowledge.
    func take(
        _ delivery: PersistentHistoryConsumer.Delivery
    ) async throws -> (Int, PersistentHistoryToken) {
        switch delivery {
        case .transactions(let transactions, let token):
            try await copy(transactions)
            return (transactions.count, token)
        case .resynchronize(let state):
            // Whoever was away for longer than the lease begins anew. This example never is.
            throw StoreError(
                .historyTokenExpired, "The mirror was away for too long: \(state.token)")
        }
    }

    private func copy(_ transactions: [PersistentHistoryTransaction]) async throws {
        let changed = ChangedObjectIDs(transactions)
        let left = transactions.flatMap { $0.changes ?? [] }.filter { $0.changeType == .delete }
        let source = source
        try await target.newBackgroundContext(ContextOptions(author: "mirror")).perform { context in
            // First, so that an object that came again under its name stays.
            for change in left { try Self.delete(change, in: context) }
            let original = source.makeContext()
            for id in changed.inserted.union(changed.updated) {
                // What is gone by now comes as a deletion later.
                guard let object = try? original.existingObject(with: id, as: ManagedObject.self)
                else { continue }
                try Self.copy(object, into: context)
            }
            try context.save()
        }
    }

    private static func copy(_ object: ManagedObject, into context: ManagedObjectContext) throws {
        switch object {
        case let package as Package:
            let copy = try context.package(package.identifier)
            copy.state = package.state
            copy.version = package.version
            copy.architecture = package.architecture
            copy.synopsis = package.synopsis
            copy.homepage = package.homepage
            copy.installedSizeKiB = package.installedSizeKiB
            copy.section = try package.section.map { try context.section($0.name) }
            copy.maintainer = try package.maintainer.map { try context.maintainer($0.contact) }
            copy.dependencies.replace(
                with: try package.dependencies.map { try context.package($0.identifier) })
            copy.alternatives.replace(
                with: try package.alternatives.map { try context.package($0.identifier) })
            copy.provides.replace(
                with: try package.provides.map { try context.package($0.identifier) })
        case let section as Section: _ = try context.section(section.name)
        case let maintainer as Maintainer:
            let copy = try context.maintainer(maintainer.contact)
            copy.name = maintainer.name
            copy.address = maintainer.address
        default: break
        }
    }

    /// Deletes the object of which a tombstone says what was unique about it.
    private static func delete(
        _ change: PersistentHistoryChange, in context: ManagedObjectContext
    ) throws {
        guard case .text(let identifier)? = change.tombstone?["identifier"] else { return }
        let request = FetchRequest<Package>().where { $0.identifier == identifier.string }
        for package in try context.fetch(request) { context.delete(package) }
    }
}

extension ManagedObjectContext {
    /// The package of that name, which is made when there is none.
    fileprivate func package(_ identifier: String) throws -> Package {
        try first(
            FetchRequest().where { $0.identifier == identifier }, orNew: Package(context: self)
        ) {
            $0.identifier = identifier
        }
    }

    fileprivate func section(_ name: String) throws -> Section {
        try first(FetchRequest().where { $0.name == name }, orNew: Section(context: self)) {
            $0.name = name
        }
    }

    fileprivate func maintainer(_ contact: String) throws -> Maintainer {
        try first(
            FetchRequest().where { $0.contact == contact }, orNew: Maintainer(context: self)
        ) {
            $0.contact = contact
            // The name comes with its own change, which may be in a later part.
            $0.name = contact
        }
    }

    private func first<Object: ManagedObject>(
        _ request: FetchRequest<Object>, orNew make: @autoclosure () -> Object,
        fill: (Object) -> Void
    ) throws -> Object {
        if let known = try fetch(request).first { return known }
        let made = make()
        fill(made)
        return made
    }
}
