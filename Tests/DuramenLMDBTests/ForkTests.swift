#if os(Linux)
import DuramenModel
import DuramenStore
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// What a child sees that is made by `fork` while a store is open. Each forks in a process of its
/// own.
@Suite struct ForkTests {
    let folder = TemporaryFolder()

    @Test(
        "A child made by fork is refused, whatever it does, and its parent goes on",
        arguments: ForkedUse.allCases)
    func aChildIsRefused(_ use: ForkedUse) async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) {
            [path = path as String, use = use as ForkedUse] in
            try use.check(.lmdb(path).timeout(seconds: 1), model: Library.model)
        }
        let store = try Library.open(path)
        #expect(try store.snapshot().count(store.query("Tag")) == 2)
        try store.close()
    }

    @Test("A child that ends leaves the locks of its parent alone")
    func theLocksStay() async throws {
        let path = folder.file()
        await #expect(processExitsWith: .success) { [path = path as String] in
            let description = PersistentStoreDescription.lmdb(path).timeout(seconds: 1)
            let store = try description.open(model: Library.model)
            try store.insert("Tag")
            let code = try storeErrorCodeInFork { throw StoreError(.closed, "nothing done") }
            guard code == .closed else { throw StoreError(.io, "no child") }
            guard let other = try? StoreFolder(path),
                let second = try? Presence(other, isReadOnly: false)
            else { throw StoreError(.io, "no second user") }
            defer { second.end() }
            if second.isFirst || second.becomeOnly() {
                throw StoreError(.io, "the child took the parent's lock with it")
            }
            try store.insert("Tag")
            try store.close()
        }
    }
}
#endif
