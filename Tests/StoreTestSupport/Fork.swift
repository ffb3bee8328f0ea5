#if os(Linux)
package import DuramenModel
import DuramenQuery
package import DuramenStore
import Foundation

/// Runs work in a child made by `fork`, which ends with it.
///
/// - Returns: The code of the store error that the work threw; nil when it threw none.
package func storeErrorCodeInFork(_ work: () throws -> Void) throws -> StoreError.Code? {
    // Swift does not import fork, whose child has none of the parent's other threads. The work here
    // needs none.
    typealias Fork = @convention(c) () -> pid_t
    guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "fork") else {
        throw StoreError(.unsupported, "the system has no fork")
    }
    let fork = unsafeBitCast(symbol, to: Fork.self)
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw StoreError(.io, "no pipe") }
    let child = fork()
    if child == 0 {
        // A child that waits for ever is ended by the system.
        alarm(60)
        var code = "none"
        do { try work() } catch { code = (error as? StoreError)?.code.rawValue ?? "\(error)" }
        _ = code.withCString { write(ends[1], $0, strlen($0)) }
        // Nothing of the parent's is run at this end.
        _exit(0)
    }
    close(ends[1])
    defer { close(ends[0]) }
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = read(ends[0], &bytes, bytes.count)
    var status: Int32 = 0
    waitpid(child, &status, 0)
    let code = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    guard status == 0, !code.isEmpty else { throw StoreError(.io, "the child died") }
    return code == "none" ? nil : StoreError.Code(rawValue: code)
}

/// What a child made by `fork` does with what its parent opened.
package enum ForkedUse: String, CaseIterable, Codable, Sendable {
    case read, cursor, save, snapshot, newest, close, open, metadata, release

    /// Lets a child of this process try it on a new store.
    ///
    /// - Parameter model: One with the entity `Tag`, which has a `label`.
    /// - Throws: When the child is not refused, or the store of the parent does not go on as
    ///   before.
    package func check(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws {
        let store = try description.open(model: model)
        let id = try store.insert("Tag", ["label": .text("a")])
        let snapshot = try store.snapshot()
        let query = try store.query("Tag")
        var cursor: (any StoreCursor)? = try snapshot.cursor(query)
        var passing: (any StoreSnapshot)? = snapshot
        let code = try storeErrorCodeInFork {
            switch self {
            case .read: _ = try snapshot.rows(for: [id])
            case .cursor: _ = try cursor?.next(maximumRows: 1)
            case .save: _ = try store.save(ChangeSet(metadata: ["child": .boolean(true)]))
            case .snapshot: _ = try store.snapshot()
            case .newest:
                if snapshot.isNewest { return }
                throw StoreError(.usedAfterFork, "so that a new one is asked for")
            case .close:
                try store.close()
                throw StoreError(.usedAfterFork, "closing does nothing")
            case .open: _ = try description.open(model: model)
            case .metadata: _ = try description.type.metadata(of: description)
            case .release:
                // The end of what the parent goes on using.
                cursor = nil
                passing = nil
                throw StoreError(.usedAfterFork, "letting go does nothing")
            }
        }
        let before = try snapshot.rows(for: [id]).count
        let next = try store.insert("Tag", ["label": .text("b")])
        let facts = [
            code == .usedAfterFork, before == 1, passing != nil,
            try cursor?.next(maximumRows: 5)?.count == 1,
            try store.value(next, "label") == .text("b"), try snapshot.count(query) == 1,
            try store.snapshot().count(query) == 2, try store.metadata().userInfo.isEmpty,
        ]
        try store.close()
        guard facts.allSatisfy({ $0 }) else {
            throw StoreError(.io, "\(facts), \(code?.rawValue ?? "no error")")
        }
    }
}
#endif
