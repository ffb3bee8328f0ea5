import DuramenModel
import DuramenStore
import Foundation
import Testing

/// The names that change sets have unless they are given one.
@Suite struct SaveIdentifierTests {
    @Test("No two change sets have one name, whichever threads make them")
    func namesDiffer() {
        let names = Locked<Set<UUID>>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let own = (0..<10_000).map { _ in ChangeSet().identifier }
            names.withLock { $0.formUnion(own) }
        }
        #expect(names.withLock { $0.count } == 40_000)
    }

    @Test("A name says that it is random, and one that is given is kept")
    func names() {
        for _ in 0..<100 {
            let bytes = ChangeSet().identifier.uuid
            #expect(bytes.6 >> 4 == 4)
            #expect(bytes.8 >> 6 == 2)
        }
        let given = UUID()
        #expect(ChangeSet(identifier: given).identifier == given)
    }
}
