/// What contexts over one store are expected to have, worked out with dictionaries and without any
/// cleverness. Names stand for objects: they begin with q, r or t, for quakes, regions and tags.
struct GraphModel {
    struct Record: Equatable {
        var magnitude = 1.0
        var depth: Double?
        var region: String?

        /// This record with what was edited between two others.
        func edited(from base: Record, to mine: Record) -> Record {
            var result = self
            if mine.magnitude != base.magnitude { result.magnitude = mine.magnitude }
            if mine.depth != base.depth { result.depth = mine.depth }
            if mine.region != base.region { result.region = mine.region }
            return result
        }
    }

    struct Pair: Hashable {
        var quake: String
        var tag: String

        func contains(_ name: String) -> Bool { quake == name || tag == name }
    }

    /// All that somebody sees.
    struct View {
        var objects: [String: Record] = [:]
        var pairs: Set<Pair> = []

        mutating func dropLoosePairs() {
            pairs = pairs.filter { objects[$0.quake] != nil && objects[$0.tag] != nil }
        }
    }

    struct Change {
        /// What the edits are based on; nil for an object that only pairs have changed.
        var base: Record?
        var mine: Record
        var version = 0
        /// Whether it was put into a region, or taken out, and the parent did not do so too.
        var isMoved = false
    }

    /// The changes of one context.
    struct Level {
        /// The level of the parent; nil at the top.
        let parent: Int?
        var inserted: [String: Record] = [:]
        var updated: [String: Change] = [:]
        /// With the version at the top that the deletion is based on.
        var deleted: [String: Int] = [:]
        var pairs: [Pair: Bool] = [:]

        mutating func clear() { self = Level(parent: parent) }
    }

    private(set) var store = View()
    private var versions: [String: Int] = [:]
    private var clock = 0
    private(set) var levels: [Level]

    init(parents: [Int?]) { levels = parents.map { Level(parent: $0) } }

    // MARK: - Seeing

    func view(_ level: Int?) -> View {
        guard let level else { return store }
        let changes = levels[level]
        var view = view(changes.parent)
        for (name, change) in changes.updated { view.objects[name] = change.mine }
        for name in changes.deleted.keys { view.objects[name] = nil }
        view.objects.merge(changes.inserted) { $1 }
        for (pair, isAdded) in changes.pairs {
            if isAdded { view.pairs.insert(pair) } else { view.pairs.remove(pair) }
        }
        view.dropLoosePairs()
        return view
    }

    /// Everything that a context shows, in lines.
    func contents(_ level: Int) -> [String] {
        let view = view(level)
        return view.objects.keys.sorted().map { name in
            let record = view.objects[name] ?? Record()
            switch name.first {
            case "q":
                let tags = view.pairs.filter { $0.quake == name }.map(\.tag).sorted()
                let region = record.region.map { view.objects[$0] == nil ? "deleted" : $0 }
                return Self.line(
                    name, record.magnitude, record.depth, region: region, tags: tags)
            case "r":
                return "\(name): \(members(of: name, at: level).sorted())"
            default:
                return "\(name): \(view.pairs.filter { $0.tag == name }.map(\.quake).sorted())"
            }
        }
    }

    /// The quakes of a region. One that was edited here and deleted below belongs to none any more,
    /// unless it was moved here.
    private func members(of region: String, at level: Int?) -> Set<String> {
        guard let level else {
            return Set(store.objects.filter { $0.value.region == region }.keys)
        }
        let changes = levels[level]
        var members = members(of: region, at: changes.parent)
        for (name, change) in changes.updated {
            if !change.isMoved { continue }
            if change.mine.region == region {
                members.insert(name)
            } else {
                members.remove(name)
            }
        }
        members.formUnion(changes.inserted.filter { $0.value.region == region }.keys)
        return members.subtracting(changes.deleted.keys)
    }

    static func line(
        _ name: String, _ magnitude: Double, _ depth: Double?, region: String?, tags: [String]
    ) -> String {
        "\(name) \(magnitude) \(depth.map { "\($0)" } ?? "-") \(region ?? "-") \(tags)"
    }

    // MARK: - Editing

    mutating func insert(_ name: String, _ record: Record, at level: Int) {
        levels[level].inserted[name] = record
    }

    mutating func edit(_ name: String, at level: Int, _ body: (inout Record) -> Void) {
        if var record = levels[level].inserted[name] {
            body(&record)
            levels[level].inserted[name] = record
            return
        }
        guard let seen = view(level).objects[name] else { return }
        var change = levels[level].updated[name] ?? Change(mine: seen)
        if change.base == nil {
            change.base = change.mine
            change.version = versions[name] ?? 0
        }
        let region = change.mine.region
        body(&change.mine)
        change.isMoved = change.isMoved || change.mine.region != region
        levels[level].updated[name] = change
    }

    mutating func set(_ pair: Pair, _ isAdded: Bool, at level: Int) {
        let view = view(level)
        levels[level].pairs[pair] = isAdded
        for name in [pair.quake, pair.tag] where levels[level].inserted[name] == nil {
            guard let seen = view.objects[name] else { continue }
            levels[level].updated[name] = levels[level].updated[name] ?? Change(mine: seen)
        }
    }

    mutating func delete(_ name: String, at level: Int) {
        if levels[level].inserted.removeValue(forKey: name) == nil {
            let change = levels[level].updated[name]
            levels[level].deleted[name] =
                change?.base == nil ? versions[name] ?? 0 : change?.version ?? 0
        }
        for quake in members(of: name, at: level) { delete(quake, at: level) }
    }

    mutating func rollBack(_ level: Int) { levels[level].clear() }

    /// - Parameter keepsEdits: False drops those of the object.
    mutating func refresh(_ name: String, at level: Int, keepsEdits: Bool) {
        guard levels[level].inserted[name] == nil,
            let below = view(levels[level].parent).objects[name]
        else { return }
        if keepsEdits {
            if let change = levels[level].updated[name] {
                rebase(name, change, on: below, at: level)
            }
            return
        }
        guard levels[level].updated.removeValue(forKey: name) != nil else { return }
        let dropped = levels[level].pairs.keys.filter { $0.contains(name) }
        for pair in dropped { levels[level].pairs[pair] = nil }
        for other in dropped.flatMap({ [$0.quake, $0.tag] }) {
            let isPaired = levels[level].pairs.keys.contains { $0.contains(other) }
            if !isPaired, levels[level].updated[other]?.base == nil {
                levels[level].updated[other] = nil
            }
        }
    }

    // MARK: - Merging

    /// What happens between units of work, parents first.
    mutating func merge() {
        for level in levels.indices {
            let below = view(levels[level].parent).objects
            for (name, change) in levels[level].updated where levels[level].deleted[name] == nil {
                if let record = below[name], !isClash(change, name, record, level) {
                    rebase(name, change, on: record, at: level)
                }
            }
            for name in levels[level].deleted.keys {
                for quake in members(of: name, at: level) { delete(quake, at: level) }
            }
        }
    }

    private func isClash(
        _ change: Change, _ name: String, _ stored: Record, _ level: Int
    ) -> Bool {
        guard levels[level].parent == nil, let base = change.base else { return false }
        let mine = change.mine
        return mine.magnitude != base.magnitude && stored.magnitude != base.magnitude
            || mine.depth != base.depth && stored.depth != base.depth
            || mine.region != base.region && stored.region != base.region
    }

    private mutating func rebase(
        _ name: String, _ change: Change, on record: Record, at level: Int
    ) {
        levels[level].updated[name] = Change(
            base: change.base.map { _ in record },
            mine: change.base.map { record.edited(from: $0, to: change.mine) } ?? record,
            version: versions[name] ?? 0)
        guard let base = change.base else { return }
        let isEdited = change.mine.region != base.region
        let isAlike = change.mine.region == record.region
        levels[level].updated[name]?.isMoved = change.isMoved && isEdited != isAlike
    }

    // MARK: - Saving

    /// Whether a save now is refused.
    func isConflicted(_ level: Int) -> Bool {
        let changes = levels[level]
        let below = view(changes.parent).objects
        func isMissing(_ name: String) -> Bool {
            below[name] == nil && changes.inserted[name] == nil
        }
        for (name, change) in changes.updated where changes.deleted[name] == nil {
            guard let base = change.base, base != change.mine else { continue }
            if below[name] == nil { return true }
            if changes.parent == nil, versions[name] != change.version { return true }
            if change.mine.region != base.region, change.mine.region.map(isMissing) == true {
                return true
            }
        }
        if changes.inserted.values.contains(where: { $0.region.map(isMissing) == true }) {
            return true
        }
        for (name, version) in changes.deleted where changes.parent == nil {
            if versions[name] != version { return true }
        }
        return changes.pairs.contains { pair, isAdded in
            isAdded && isLive(pair, changes) && (isMissing(pair.quake) || isMissing(pair.tag))
        }
    }

    private func isLive(_ pair: Pair, _ changes: Level) -> Bool {
        let seen = Set(changes.updated.keys).union(changes.inserted.keys)
        return [pair.quake, pair.tag].allSatisfy {
            changes.deleted[$0] == nil && seen.contains($0)
        }
    }

    /// Saves a level without conflicts.
    mutating func save(_ level: Int) {
        let changes = levels[level]
        levels[level].clear()
        if let parent = changes.parent {
            move(changes, to: parent)
        } else {
            store(changes)
        }
    }

    private mutating func move(_ changes: Level, to parent: Int) {
        for (name, record) in changes.inserted { insert(name, record, at: parent) }
        for (name, change) in changes.updated where changes.deleted[name] == nil {
            guard let base = change.base, base != change.mine else { continue }
            edit(name, at: parent) { $0 = $0.edited(from: base, to: change.mine) }
        }
        let seen = view(parent).objects
        for (pair, isAdded) in changes.pairs where isLive(pair, changes) {
            if seen[pair.quake] != nil, seen[pair.tag] != nil { set(pair, isAdded, at: parent) }
        }
        for name in changes.deleted.keys where view(parent).objects[name] != nil {
            delete(name, at: parent)
        }
    }

    private mutating func store(_ changes: Level) {
        clock += 1
        for (name, record) in changes.inserted {
            store.objects[name] = record
            versions[name] = clock
        }
        for (name, change) in changes.updated where changes.deleted[name] == nil {
            guard let base = change.base, base != change.mine else { continue }
            store.objects[name] = change.mine
            versions[name] = clock
        }
        for (pair, isAdded) in changes.pairs where isLive(pair, changes) {
            if isAdded { store.pairs.insert(pair) } else { store.pairs.remove(pair) }
        }
        for name in changes.deleted.keys {
            store.objects[name] = nil
            versions[name] = nil
        }
        store.dropLoosePairs()
    }
}
