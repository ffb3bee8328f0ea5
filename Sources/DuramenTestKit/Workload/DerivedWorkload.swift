import DuramenModel
import DuramenStore
import Foundation

/// Random saves over ``DerivedModel``, and parts of batches.
struct DerivedWorkload {
    private let driver: StoreDriver
    private var random: SplitMix64
    private var known: [String: [ManagedObjectID]] = [:]
    private var nameCount = 0

    private static let entities = ["Team", "Account", "Account", "Post", "Post", "Reply", "Label"]

    init(seed: UInt64, _ driver: StoreDriver) {
        self.driver = driver
        random = SplitMix64(seed: seed)
    }

    /// Saves some changes; saves with conflicting names are skipped.
    mutating func step() throws {
        var draft = driver.draft()
        var inserted: [ManagedObjectID] = []
        var deleted: Set<ManagedObjectID> = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let entity = random.pick(Self.entities)
            inserted.append(try draft.insert(entity, values(entity, inserted)))
        }
        var touched: Set<ManagedObjectID> = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            guard let id = any(Self.entities), touched.insert(id).inserted else { continue }
            if random.oneIn(5) {
                deleted.insert(id)
                try draft.delete(id)
            } else {
                try draft.update(id, values(id.entityName, inserted))
            }
        }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let posts = inserted.filter { ["Post", "Reply"].contains($0.entityName) }
            guard let post = posts.last ?? any(["Post", "Reply"]), let label = any(["Label"]),
                !deleted.contains(post), !deleted.contains(label)
            else { continue }
            switch random.next() % 3 {
            case 0: draft.relate("Post.labels", post, label)
            case 1: draft.relate("Label.posts", label, post)
            default: draft.unrelate("Post.labels", post, label)
            }
        }
        try clearReferences(to: deleted, &draft, touched)
        guard case .saved = try driver.store.save(draft.changes) else { return }
        for id in inserted { known[id.entityName, default: []].append(id) }
        for name in known.keys { known[name]?.removeAll { deleted.contains($0) } }
    }

    /// Clears references as contexts do for deleted objects; sometimes it does not.
    private mutating func clearReferences(
        to deleted: Set<ManagedObjectID>, _ draft: inout ChangeDraft,
        _ touched: Set<ManagedObjectID>
    ) throws {
        if random.oneIn(3) { return }
        for (entity, ids) in known {
            for id in ids where !touched.contains(id) && !deleted.contains(id) {
                let values = try driver.values(id) ?? [:]
                var cleared: PropertyValues = [:]
                for name in ["team", "account", "answered"] where entity != "Label" {
                    if case .objectID(let other)? = values[name], deleted.contains(other) {
                        cleared[name] = .null
                    }
                }
                if !cleared.isEmpty { try draft.update(id, cleared) }
            }
        }
    }

    private mutating func values(
        _ entity: String, _ inserted: [ManagedObjectID]
    ) -> PropertyValues {
        nameCount += 1
        var values: PropertyValues = [:]
        func reference(_ entities: [String]) -> StoredValue {
            let new = inserted.filter { entities.contains($0.entityName) }
            if let id = new.last, random.oneIn(2) { return .objectID(id) }
            return random.oneIn(4) ? .null : any(entities).map { .objectID($0) } ?? .null
        }
        switch entity {
        case "Team", "Label":
            values["name"] = .text(StoredText("N\(nameCount)"))
        case "Account":
            // Sometimes two names are equal, which conflicts.
            let number = random.oneIn(10) ? nameCount - 1 : nameCount
            values["name"] = random.oneIn(4) ? .null : .text(StoredText("Name é \(number)"))
            if random.oneIn(2) { values["team"] = reference(["Team"]) }
        default:
            values["size"] = random.oneIn(4) ? .null : .integer(Int64(random.next() % 100))
            values["weight"] =
                random.oneIn(4) ? .null : .double(Double(random.next() % 1_000) / 4)
            values["price"] =
                random.oneIn(4) ? .null : .decimal(Decimal(random.next() % 1_000) / 4)
            if random.oneIn(2) { values["account"] = reference(["Account"]) }
            if random.oneIn(2) { values["answered"] = reference(["Post", "Reply"]) }
        }
        return values
    }

    private mutating func any(_ entities: [String]) -> ManagedObjectID? {
        let all = Set(entities).sorted().flatMap { known[$0] ?? [] }
        return all.isEmpty ? nil : random.pick(all)
    }
}
