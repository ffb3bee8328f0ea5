import DuramenModel
import DuramenPostgres
import DuramenStore
import StoreTestSupport
import Testing

/// Two decisions from one state, each about another row.
@Suite(.enabled(if: TestServer.isThere)) struct WriteSkewTests {
    /// Of two people on duty, each leaves if the other one stays.
    ///
    /// - Returns: How many pairs are left without anybody on duty.
    private func unattended(pairs: Int, checks: Bool) throws -> Int {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next()
        let stores = try (0..<2).map { _ in try place.open(model: FaultModel.model) }
        var unattended = 0
        for _ in 0..<pairs {
            let ids = try stores[0].insert(
                "Counter", all: [["value": .integer(1)], ["value": .integer(1)]])
            let meeting = Meeting(2)
            try inThreads(2) { me in
                let store = stores[me]
                let snapshot = try store.snapshot()
                let own = try store.present(ids[me], in: snapshot)
                let other = try store.present(ids[1 - me], in: snapshot)
                var changes = ChangeSet(updates: [try store.edit(own, ["value": .integer(0)])])
                if checks { changes.checks = [store.check(other)] }
                meeting.meet()
                _ = try store.save(changes)
            }
            let snapshot = try stores[0].snapshot()
            let left = try ids.map {
                try stores[0].integer(stores[0].present($0, in: snapshot), "value")
            }
            if left == [0, 0] { unattended += 1 }
        }
        for store in stores { try store.close() }
        return unattended
    }

    @Test func checkedRowsExcludeWriteSkew() throws {
        #expect(try unattended(pairs: TestSizes.skewPairs, checks: true) == 0)
    }

    @Test func uncheckedRowsDoNot() throws {
        #expect(try unattended(pairs: 3, checks: false) == 3)
    }
}
