import DuramenMemory
import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation

/// One saboteur and the law that it breaks.
struct SaboteurEntry: Sendable, CustomStringConvertible {
    let law: StoreLaw
    let description: String
    private(set) var type: SaboteurType

    init(_ law: StoreLaw, _ saboteur: Saboteur.Type) {
        self.law = law
        description = "\(saboteur)"
        type = SaboteurType { (model, location) throws(StoreError) in
            try saboteur.init(model, location)
        }
    }

    /// The same, with something that its type does.
    func with(_ alter: (inout SaboteurType) -> Void) -> SaboteurEntry {
        var copy = self
        alter(&copy.type)
        return copy
    }

    init(
        _ law: StoreLaw, _ name: String,
        _ make:
            @escaping @Sendable (ManagedObjectModel, String) throws(StoreError) ->
            any PersistentStore
    ) {
        self.law = law
        description = name
        type = SaboteurType(make: make)
    }

    /// A fixture whose stores are all sabotaged.
    func fixture() -> StoreFixture {
        let type = type
        let prefix = UUID().uuidString
        let names = Guarded<[String]>([])
        // Every case runs against many of them.
        return StoreFixture(largeRowBytes: 1 << 20) { number in
            let name = "\(prefix) \(number)"
            names.change { $0.append(name) }
            return PersistentStoreDescription(type: type, location: name)
        } cleanUp: {
            for name in names.value { try? MemoryStoreType().destroy(.memory(name)) }
        }
    }

    static let all: [SaboteurEntry] =
        snapshotSaboteurs + atomicitySaboteurs + checkSaboteurs + refusalSaboteurs
        + fidelitySaboteurs
        + relationshipKindSaboteurs
        + versionSaboteurs + keySaboteurs
        + simultaneitySaboteurs + pushdownSaboteurs + longValueSaboteurs + slotSaboteurs
        + capabilitySaboteurs
        + concurrencySaboteurs + cancellationSaboteurs + saveIdentifierSaboteurs + metadataSaboteurs
        + batchSaboteurs + historySaboteurs + observationSaboteurs
        + derivedSaboteurs + migrationSaboteurs + groupSaboteurs
}
