import DuramenModel
import DuramenQuery

/// Generates random queries over the workload's model.
struct WorkloadQueries {
    private var random: SplitMix64
    private let objects: [Symbol]

    init(_ random: SplitMix64, objects: [Symbol]) {
        self.random = random
        self.objects = objects
    }

    mutating func query() -> SymbolicQuery {
        let entity = random.pick(["Node", "Node", "Leaf", "Tag"])
        var sorts: [FetchSortDescriptor] = []
        for _ in 0..<Int.random(in: 0...2, using: &random) { sorts.append(sort(entity)) }
        return SymbolicQuery(
            entity: entity, includesSubentities: !random.oneIn(5),
            predicate: random.oneIn(4) ? nil : predicate(entity, depth: 3), sortDescriptors: sorts,
            offset: random.oneIn(3) ? Int.random(in: 0..<4, using: &random) : 0,
            limit: random.oneIn(3) ? Int.random(in: 0..<8, using: &random) : nil)
    }

    private mutating func sort(_ entity: String) -> FetchSortDescriptor {
        let paths =
            entity == "Tag"
            ? ["name", "lead.name", "lead.rank"]
            : [
                "name", "rank", "weight", "note", "isOpen", "parent.rank", "parent.name", "row",
                "place.x", "parent.place.mark", "place.grid.zone",
            ]
        let path = random.pick(paths + (entity == "Leaf" ? ["price", "due"] : []))
        let isText = path.hasSuffix("name") || path.hasSuffix("mark") || path == "note"
        return FetchSortDescriptor(
            path, ascending: random.oneIn(2),
            comparison: isText ? random.pick(FetchSortDescriptor.Comparison.allCases) : .standard)
    }

    private mutating func predicate(_ entity: String, depth: Int) -> FetchPredicate {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &random) {
        case 6: return .not(predicate(entity, depth: depth - 1))
        case 7:
            return .and([predicate(entity, depth: depth - 1), predicate(entity, depth: depth - 1)])
        case 8:
            return .or([predicate(entity, depth: depth - 1), predicate(entity, depth: depth - 1)])
        case 9: return quantified(entity, depth: depth - 1)
        default: return comparison(entity)
        }
    }

    private mutating func quantified(_ entity: String, depth: Int) -> FetchPredicate {
        let paths: [([String], String)] =
            entity == "Tag"
            ? [
                (["nodes"], "Node"), (["lead", "children"], "Node"), (["entries"], "Node"),
                (["picks"], "Node"), (["drawer"], "Node"), (["cover", "peers"], "Node"),
            ]
            : [
                (["tags"], "Tag"), (["children"], "Node"), (["parent", "tags"], "Tag"),
                (["leading"], "Tag"), (["peers"], "Node"), (["list", "drawer"], "Node"),
                (["pickedBy"], "Tag"),
            ]
        let (path, destination) = random.pick(paths)
        if random.oneIn(3) {
            return .comparison(
                PredicateComparison(
                    .count(keyPath: path), random.pick([.equal, .greater, .lessOrEqual]),
                    .constant(.integer(Int64.random(in: 0..<3, using: &random)))))
        }
        return .quantified(
            random.pick(PredicateQuantifier.allCases), keyPath: path,
            predicate(destination, depth: min(depth, 1)))
    }

    private mutating func comparison(_ entity: String) -> FetchPredicate {
        let own = entity == "Tag" ? "lead" : "parent"
        let prefix = random.oneIn(4) ? own + "." : entity == "Tag" ? nil : ""
        guard let prefix else { return text("name") }
        switch Int.random(in: 0..<(entity == "Leaf" && prefix.isEmpty ? 13 : 11), using: &random) {
        case 0: return text(prefix + "name")
        case 1: return text(prefix + "note")
        case 2:
            return number(
                prefix + "rank", [.integer(0), .integer(2), .integer(.max), .double(1.5)])
        case 3:
            return number(
                prefix + "weight", [.double(0), .double(-0.0), .integer(3), .double(.infinity)])
        case 4:
            return .keyPath(
                prefix + "isOpen", random.pick([.equal, .notEqual]), .boolean(random.oneIn(2)))
        case 5: return object(own)
        case 6:
            let list: [StoredValue] = [.integer(1), .integer(4), .null, .integer(11)]
            return .keyPath(prefix + "row", .isIn, Array(list.shuffled(using: &random).prefix(2)))
        case 7:
            return .keyPath(
                prefix + "image", random.pick([.equal, .notEqual]),
                random.oneIn(3) ? .null : random.pick(WorkloadPlanner.images))
        case 8: return text(prefix + "place.mark")
        case 9: return number(prefix + "place.grid.zone", [.integer(0), .integer(1), .integer(-7)])
        case 10:
            return .keyPath(
                prefix + random.pick(["place", "place.grid", "place.x", "labels"]),
                random.pick([.equal, .notEqual]), .null)
        case 11:
            let values = ["0.1", "12.34", "9007199254740992"].map {
                StoredValue.decimal(SampleValues.decimal($0))
            }
            return number("price", values)
        default: return number("due", [SampleValues.date(0), SampleValues.date(0.00049)])
        }
    }

    private mutating func number(_ path: String, _ values: [StoredValue]) -> FetchPredicate {
        let relations: [PredicateComparison.Operator] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ]
        if random.oneIn(6) {
            return .keyPath(path, .between, [random.pick(values), random.pick(values)])
        }
        return .keyPath(path, random.pick(relations), random.pick(values + [.null]))
    }

    private mutating func text(_ path: String) -> FetchPredicate {
        let relations: [PredicateComparison.Operator] = [
            .equal, .notEqual, .less, .greaterOrEqual, .contains, .beginsWith, .endsWith, .like,
        ]
        let values: [StoredText] = [
            "a", "A1", "\u{E9}", "e", "", "x\u{0}", "*1?", "x", "\u{301}", "zz2", "9",
        ]
        return .keyPath(
            path, random.pick(relations), random.oneIn(8) ? .null : .text(random.pick(values)),
            PredicateComparison.Options(rawValue: random.oneIn(2) ? 0 : UInt8(random.next() % 4)))
    }

    /// A comparison with an object, with a symbol as its key, which is replaced for each store.
    private mutating func object(_ path: String) -> FetchPredicate {
        if objects.isEmpty || random.oneIn(4) { return .keyPath(path, .equal, .null) }
        let symbol = random.pick(objects)
        let standIn = ManagedObjectID(
            store: .none, entity: EntityHandle(name: "Node"), key: Int64(symbol))
        return .keyPath(path, random.pick([.equal, .notEqual]), .objectID(standIn))
    }
}
