import DuramenModel
import DuramenStore
import DuramenTestKit
import Testing

/// What a verification finds in stores that answer wrongly.
@Suite struct VerificationFindingTests {
    static let wrongAnswers: [(SaboteurEntry, VerificationFinding.Kind)] = [
        (SaboteurEntry(.atomicity, OrdersMembersByID.self), .order),
        (SaboteurEntry(.atomicity, LosesOrderedMembers.self), .order),
        (SaboteurEntry(.atomicity, NumbersMembersAnew.self), .order),
        (SaboteurEntry(.atomicity, LosesMembers.self), .pair),
        (SaboteurEntry(.atomicity, RepeatsMembers.self), .pair),
        (SaboteurEntry(.history, ReversesItsHistory.self), .history),
        (SaboteurEntry(.history, LosesItsNewestTransaction.self), .history),
    ]

    @Test(arguments: wrongAnswers)
    func aWrongAnswerIsFound(_ entry: SaboteurEntry, _ kind: VerificationFinding.Kind) throws {
        let fixture = entry.fixture()
        let driver = try StoreDriver(fixture)
        try driver.store.historyTracking().beginHistory()
        var draft = driver.draft()
        let album = try draft.insert("Album")
        for number in [3, 1, 2] {
            _ = try draft.insert(
                "Track", ["album": .objectID(album), "album.order": .integer(Int64(number))])
        }
        try driver.commit(draft)
        try driver.commit { _ = try $0.insert("Album") }
        let found = try StoreVerification(of: driver.store).run()
        #expect(found.map(\.kind).contains(kind), "\(found)")
    }
}

private final class LosesOrderedMembers: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(orderedDestinations: { (base, relationship, ids) throws(StoreError) in
            try base.orderedDestinations(of: relationship, from: ids).map { $0.dropLast() }
        })
    }
}

private final class NumbersMembersAnew: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(orderedDestinations: { (base, relationship, ids) throws(StoreError) in
            try base.orderedDestinations(of: relationship, from: ids).map { list in
                zip(list, 100...).map { OrderedDestination($0.id, order: $1) }
            }
        })
    }
}

private final class LosesMembers: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(destinations: { (base, relationship, ids) throws(StoreError) in
            try base.destinations(of: relationship, from: ids).map { $0.dropLast() }
        })
    }
}

private final class RepeatsMembers: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(destinations: { (base, relationship, ids) throws(StoreError) in
            try base.destinations(of: relationship, from: ids).map { $0 + $0.suffix(1) }
        })
    }
}

private final class ReversesItsHistory: Saboteur, @unchecked Sendable {
    override func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try super.history(request).reversed()
    }
}

private final class LosesItsNewestTransaction: Saboteur, @unchecked Sendable {
    override func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try super.history(request).dropLast()
    }
}
