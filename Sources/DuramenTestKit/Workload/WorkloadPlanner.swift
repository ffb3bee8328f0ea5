import DuramenModel
import DuramenQuery
import Foundation

/// Plans the effect of a step from the earlier steps of the script. It never reads a store, so both
/// stores get equal edits.
struct WorkloadPlanner {
    struct Object {
        var entity: String
        var values: SymbolicValues
    }

    private(set) var live: [Symbol: Object] = [:]
    private(set) var remembered: Set<Symbol> = []
    private var dead: [Symbol: String] = [:]
    private var count = 0

    private static let names: [StoredText] = [
        "a", "b", "c", "A", "\u{E9}", "e\u{301}", "x\u{0}y", "x", "", "zz", "10", "9",
    ]

    /// Bytes that may have files, in stores with a limit of 100 bytes for values in rows.
    static let images: [StoredValue] = [(0, 1), (100, 1), (101, 1), (300, 1), (300, 2)].map {
        .binary(Data(repeating: $1, count: $0))
    }

    // MARK: - Steps

    mutating func plan(_ step: WorkloadStep) -> WorkloadPlan? {
        var random = SplitMix64(seed: step.seed)
        switch step.kind {
        case .edit: return .save(edits(&random), basedOnRemembered: false)
        case .swap: return swap(&random)
        case .cascade: return cascade(&random)
        case .duplicate: return duplicate(&random)
        case .remember:
            let chosen = some(live.keys.sorted(), atMost: 4, &random)
            remembered.formUnion(chosen)
            return chosen.isEmpty ? nil : .remember(chosen)
        case .stale: return stale(&random)
        case .revive: return revive(&random)
        case .query:
            var writer = WorkloadQueries(random, objects: live.keys.sorted() + dead.keys.sorted())
            return .query(writer.query())
        }
    }

    /// Records that a plan's edits were written.
    mutating func apply(_ edits: [SymbolicEdit]) {
        for edit in edits {
            switch edit {
            case .insert(let symbol, let entity, let values):
                live[symbol] = Object(entity: entity, values: values)
                dead[symbol] = nil
            case .update(let symbol, let values): live[symbol]?.values.merge(values) { $1 }
            case .delete(let symbol): dead[symbol] = live.removeValue(forKey: symbol)?.entity
            case .relate, .unrelate: break
            }
        }
    }

    private mutating func edits(_ random: inout SplitMix64) -> [SymbolicEdit] {
        var edits: [SymbolicEdit] = []
        var used: Set<Symbol> = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let free = live.keys.filter { !used.contains($0) }.sorted()
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: edits.append(insert(&random))
            case 4...6:
                guard !free.isEmpty else { continue }
                let symbol = random.pick(free)
                used.insert(symbol)
                let all = values(of: live[symbol]?.entity ?? "Tag", &random)
                let chosen = all.sorted { StoredText($0.key) < StoredText($1.key) }
                    .filter { _ in random.oneIn(2) }
                edits.append(.update(symbol, Dictionary(uniqueKeysWithValues: chosen)))
            case 7:
                guard !free.isEmpty else { continue }
                let symbol = random.pick(free)
                used.insert(symbol)
                edits.append(.delete(symbol))
            default:
                guard let pair = pair(&random) else { continue }
                edits.append(random.oneIn(3) ? .unrelate(pair) : .relate(pair))
            }
        }
        return Self.withoutContradictions(edits)
    }

    private func swap(_ random: inout SplitMix64) -> WorkloadPlan? {
        let isCompound = random.oneIn(3)
        let properties = isCompound ? ["row", "column"] : ["name"]
        let isTags = !isCompound && random.oneIn(4)
        let candidates = live.keys.sorted().filter { symbol in
            let object = live[symbol]
            return (object?.entity == "Tag") == isTags
                && properties.allSatisfy { name in
                    object?.values[name].map { $0 != .value(.null) } ?? false
                }
        }
        let chosen = some(candidates, atMost: 4, &random)
        guard chosen.count > 1 else { return nil }
        let edits = chosen.enumerated().map { index, symbol in
            let next = live[chosen[(index + 1) % chosen.count]]
            var values: SymbolicValues = [:]
            for name in properties { values[name] = next?.values[name] }
            return SymbolicEdit.update(symbol, values)
        }
        return .save(edits, basedOnRemembered: false)
    }

    private func cascade(_ random: inout SplitMix64) -> WorkloadPlan? {
        let parents = live.keys.sorted().filter { !children(of: $0).isEmpty }
        guard !parents.isEmpty else { return nil }
        var doomed: [Symbol] = []
        var pending = [random.pick(parents)]
        while let symbol = pending.popLast() {
            if doomed.contains(symbol) { continue }
            doomed.append(symbol)
            pending += children(of: symbol)
        }
        return .save(doomed.map { .delete($0) }, basedOnRemembered: false)
    }

    private func children(of symbol: Symbol) -> [Symbol] {
        live.keys.sorted().filter { live[$0]?.values["parent"] == .object(symbol) }
    }

    private mutating func duplicate(_ random: inout SplitMix64) -> WorkloadPlan? {
        let named = live.keys.sorted().filter {
            live[$0]?.values["name"].map { $0 != .value(.null) } ?? false
        }
        guard !named.isEmpty else { return nil }
        let object = live[random.pick(named)]
        var edits = [insert(&random)]
        let symbol = makeSymbol()
        var values = values(of: object?.entity ?? "Tag", &random)
        values["name"] = object?.values["name"]
        let entity = object?.entity == "Tag" ? "Tag" : random.pick(["Node", "Leaf"])
        if entity == "Node" { values["price"] = nil; values["due"] = nil }
        edits.append(.insert(symbol, entity: entity, values))
        return .save(edits, basedOnRemembered: false)
    }

    private mutating func stale(_ random: inout SplitMix64) -> WorkloadPlan? {
        let chosen = some(remembered.sorted(), atMost: 3, &random)
        guard !chosen.isEmpty else { return nil }
        var edits = chosen.map { symbol -> SymbolicEdit in
            if random.oneIn(4) { return .delete(symbol) }
            return .update(symbol, ["name": value(of: "name", &random)])
        }
        if random.oneIn(2) { edits.append(insert(&random)) }
        remembered.subtract(chosen)
        return .save(edits, basedOnRemembered: true)
    }

    private func revive(_ random: inout SplitMix64) -> WorkloadPlan? {
        guard !dead.isEmpty else { return nil }
        let symbol = random.pick(dead.keys.sorted())
        let entity = dead[symbol] ?? "Tag"
        return .save(
            [.insert(symbol, entity: entity, values(of: entity, &random))], basedOnRemembered: false
        )
    }

    // MARK: - Parts

    private mutating func insert(_ random: inout SplitMix64) -> SymbolicEdit {
        let entity = random.pick(["Node", "Leaf", "Leaf", "Tag"])
        return .insert(makeSymbol(), entity: entity, values(of: entity, &random))
    }

    private mutating func makeSymbol() -> Symbol {
        count += 1
        return count
    }

    private func pair(_ random: inout SplitMix64) -> SymbolicPair? {
        let nodes = live.keys.sorted().filter { live[$0]?.entity != "Tag" }
        let tags = live.keys.sorted().filter { live[$0]?.entity == "Tag" }
        let relationship = random.pick([
            "Node.tags", "Tag.nodes", "Node.peers", "Node.chain", "Tag.picks", "Node.pickedBy",
        ])
        let sources = relationship.hasPrefix("Tag") ? tags : nodes
        let destinations =
            ["Node.tags", "Node.pickedBy"].contains(relationship) ? tags : nodes
        if sources.isEmpty || destinations.isEmpty { return nil }
        var pair = SymbolicPair(
            relationship: relationship, source: random.pick(sources),
            destination: random.pick(destinations))
        if ["Node.chain", "Tag.picks", "Node.pickedBy"].contains(relationship) {
            pair.order = order(&random)
            // A pair of an object with itself has one number.
            pair.inverseOrder =
                pair.source == pair.destination ? pair.order : order(&random)
        }
        return pair
    }

    private func order(_ random: inout SplitMix64) -> Int64? {
        random.oneIn(3) ? nil : Int64.random(in: -3...3, using: &random)
    }

    private func values(of entity: String, _ random: inout SplitMix64) -> SymbolicValues {
        var names = [
            "name", "rank", "weight", "note", "isOpen", "image", "row", "column", "parent", "list",
            "list.order", ".Tag.drawer", ".Tag.drawer.order", "place.x", "place.mark",
            "place.grid.zone", "labels",
        ]
        if entity == "Leaf" { names += ["price", "due"] }
        if entity == "Tag" { names = ["name", "lead", "cover"] }
        var values: SymbolicValues = [:]
        for name in names { values[name] = value(of: name, &random) }
        return values
    }

    private func value(of name: String, _ random: inout SplitMix64) -> SymbolicValue {
        if random.oneIn(4) { return .value(.null) }
        switch name {
        case "name":
            // Few enough to collide sometimes, many enough for most saves to succeed.
            let text = random.pick(Self.names).string
            return .value(.text(StoredText(text + "\(Int.random(in: 0..<40, using: &random))")))
        case "rank":
            return .value(
                .integer(
                    random.oneIn(9) ? random.pick([.min, .max]) : random.pick([0, 1, 2, 3, -1])))
        case "weight":
            return .value(.double(random.pick([0, 0.1, -2.5, 1e300, .infinity, -.infinity, 3])))
        case "place.x": return .value(.double(random.pick([0, 1.5, -1.5])))
        case "place.mark": return .value(.text(random.pick(Self.names)))
        case "place.grid.zone": return .value(.integer(random.pick([0, 1, -7])))
        case "labels":
            return .value(.binary(Data(random.pick(["[]", "[\"a\"]", "damaged \u{0}"]).utf8)))
        case "note": return .value(.text(random.pick(Self.names)))
        case "isOpen": return .value(.boolean(random.oneIn(2)))
        case "image": return .value(random.pick(Self.images))
        case "row", "column": return .value(.integer(Int64.random(in: 0..<12, using: &random)))
        case "price":
            return .value(
                .decimal(
                    SampleValues.decimal(random.pick(["0.1", "12.34", "-1", "9007199254740993"]))))
        case "list.order", ".Tag.drawer.order":
            return .value(.integer(Int64.random(in: -2...2, using: &random)))
        case "list", ".Tag.drawer":
            let tags = live.keys.sorted().filter { live[$0]?.entity == "Tag" }
            return tags.isEmpty ? .value(.null) : .object(random.pick(tags))
        case "due": return .value(SampleValues.date(random.pick([0, 0.0005, -978_307_200.5, 7e8])))
        default:
            let nodes = live.keys.sorted().filter { live[$0]?.entity != "Tag" }
            return nodes.isEmpty ? .value(.null) : .object(random.pick(nodes))
        }
    }

    private func some(
        _ symbols: [Symbol], atMost limit: Int, _ random: inout SplitMix64
    ) -> [Symbol] {
        Array(symbols.shuffled(using: &random).prefix(Int.random(in: 1...limit, using: &random)))
    }

    /// A pair is edited once, and not together with the deletion of one of its objects.
    private static func withoutContradictions(_ edits: [SymbolicEdit]) -> [SymbolicEdit] {
        var pairs: Set<[Symbol]> = []
        return edits.filter { edit in
            switch edit {
            case .relate(let pair), .unrelate(let pair):
                pairs.insert([pair.source, pair.destination].sorted()).inserted
            default: true
            }
        }
    }
}
