import Duramen
import Foundation
import PackageModel

/// Which packages are to go, and how they go.
struct Purge: Sendable, CustomStringConvertible {
    /// The packages that a purge is about.
    enum Selection: Sendable {
        case section(String)
        case notInstalled
    }

    let selection: Selection

    init(_ selection: Selection) { self.selection = selection }

    /// The packages to purge. A request is a value and goes anywhere; the objects do not.
    var request: FetchRequest<Package> {
        let request = FetchRequest<Package>().sorted(by: \.identifier)
        switch selection {
        case .section(let name): return request.where { $0.section.name == name }
        case .notInstalled: return request.where { $0.state == .listed }
        }
    }

    var description: String {
        switch selection {
        case .section(let name): "the packages of the section '\(name)'"
        case .notInstalled: "the packages that are not installed"
        }
    }

    /// Deletes the packages, some hundreds per save so that memory stays bounded.
    ///
    /// - Returns: How many there were. Only values leave a background task.
    func run(in container: PersistentContainer) async throws -> Int {
        let request = request.limit(500)
        return try await container.performBackgroundTask { context in
            var count = 0
            while true {
                let packages = try context.fetch(request)
                if packages.isEmpty { return count }
                // The delete rules take each package out of the graph, its section and the rest.
                for package in packages { context.delete(package) }
                try context.save()
                count += packages.count
                context.reset()
            }
        }
    }

    /// The same in one batch, which makes no objects: all of it is one transaction, delete rules
    /// included.
    func runAsBatch(in container: PersistentContainer) async throws -> Int {
        let request = BatchDeleteRequest(request)
        return try await container.performBackgroundTask { context in
            try context.execute(request).count
        }
    }

    /// The same as an operation, for programs that queue their work.
    func operation(in container: PersistentContainer) -> ManagedObjectContextOperation<Void> {
        let request = request.limit(500)
        return ManagedObjectContextOperation(container: container) { operation, context in
            while case let packages = try context.fetch(request), !packages.isEmpty {
                for package in packages { context.delete(package) }
                // An operation that was cancelled ends here, and the packages of this chunk stay.
                try operation.save(context)
                context.reset()
            }
        }
    }

    /// Queues the operation and awaits its end.
    ///
    /// - Returns: How many packages there were.
    @MainActor func runInQueue(in container: PersistentContainer) async throws -> Int {
        let count = try container.viewContext.count(for: request)
        let queue = OperationQueue()
        try await withCheckedThrowingContinuation { continuation in
            let operation = operation(in: container)
            operation.onCompletion = { continuation.resume(with: $0) }
            queue.addOperation(operation)
        }
        return count
    }
}
