/// The inheritance of two versions of a model.
struct Hierarchies {
    private let old: Lineages
    private let new: Lineages
    private let pairs: Pairing<EntityDescription>
    /// The numbers of the entities that have lost a property, ascending, by the property's name.
    private var losers: [StoredText: [Int]] = [:]
    /// The properties that each entity has gained and an ancestor has lost.
    private var cameDown: [Set<StoredText>]
    /// The old hierarchies of the entities below each new root, by the root.
    private var origins: [Int: Set<Int>] = [:]
    /// The lowest and highest present number in the branch of each old entity; nil if all are
    /// removed.
    private var spans: [ClosedRange<Int>?] = []

    /// Compares the hierarchies of two versions.
    ///
    /// - Complexity: O(*n*) in the number of properties, for any depth of inheritance.
    init(
        _ olds: [EntityDescription], _ news: [EntityDescription],
        _ pairs: Pairing<EntityDescription>
    ) {
        old = Lineages(olds)
        new = Lineages(news)
        self.pairs = pairs
        cameDown = Array(repeating: [], count: news.count)
        findMoves(news)
        findOrigins(news)
        findSpans(olds)
    }

    private mutating func findMoves(_ news: [EntityDescription]) {
        // The entities that have lost each property, nested. In this order, an entity's branch is
        // contiguous.
        var lost: [StoredText: [Int]] = [:]
        for place in new.hierarchy.order {
            let before = pairs.old(of: news[place].name)?.propertyNames ?? []
            let after = news[place].propertyNames
            for name in after.subtracting(before) {
                var owners = lost[name] ?? []
                while let owner = owners.last,
                    !new.hierarchy.isAncestor(owner, orSameAs: place)
                {
                    owners.removeLast()
                }
                lost[name] = owners
                if !owners.isEmpty { cameDown[place].insert(name) }
            }
            for name in before.subtracting(after) {
                lost[name, default: []].append(place)
                losers[name, default: []].append(new.hierarchy.number(of: place))
            }
        }
    }

    private mutating func findOrigins(_ news: [EntityDescription]) {
        for place in new.hierarchy.order {
            guard let before = pairs.old(of: news[place].name).flatMap({ old.place(of: $0.name) })
            else { continue }
            origins[new.hierarchy.roots[place], default: []].insert(old.hierarchy.roots[before])
        }
    }

    private mutating func findSpans(_ olds: [EntityDescription]) {
        spans = olds.map { entity in
            pairs.newName(of: entity.name).flatMap { new.place(of: $0) }
                .map { new.hierarchy.number(of: $0)...new.hierarchy.number(of: $0) }
        }
        for place in old.hierarchy.order.reversed() {
            guard let parent = old.hierarchy.parents[place], let own = spans[place] else {
                continue
            }
            spans[parent] =
                spans[parent].map {
                    min($0.lowerBound, own.lowerBound)...max($0.upperBound, own.upperBound)
                } ?? own
        }
    }

    /// Returns whether a present ancestor or descendant of an entity declared a property of this
    /// name before, so that the property has moved.
    func hadProperty(_ property: String, near entity: String) -> Bool {
        guard let place = new.place(of: entity) else { return false }
        let name = StoredText(property)
        if cameDown[place].contains(name) { return true }
        let branch = new.hierarchy.branch(of: place)
        let numbers = losers[name] ?? []
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < branch.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && branch.contains(numbers[low])
    }

    /// Returns whether an entity is now in one hierarchy with entities of another old hierarchy.
    func mergesOthers(with entity: String) -> Bool {
        guard let place = new.place(of: entity) else { return false }
        return (origins[new.hierarchy.roots[place]]?.count ?? 0) > 1
    }

    /// Returns whether an entity of the new version is an ancestor of an old entity and of all its
    /// old sub-entities. It then has all their objects.
    func isAncestor(_ entity: String, ofOld name: String) -> Bool {
        guard let ancestor = new.place(of: entity), let before = old.place(of: name),
            pairs.newName(of: name) != nil, let span = spans[before]
        else { return false }
        let branch = new.hierarchy.branch(of: ancestor)
        return branch.contains(span.lowerBound) && branch.contains(span.upperBound)
    }

    /// Returns whether some object of an old entity or its sub-entities belongs to an entity of the
    /// new version.
    ///
    /// - Complexity: O(*n*) in the number of sub-entities of the old entity.
    func hasObjects(_ entity: String, ofOld name: String) -> Bool {
        guard let place = new.place(of: entity), let before = old.place(of: name),
            let span = spans[before]
        else { return false }
        let branch = new.hierarchy.branch(of: place)
        if !branch.overlaps(span) { return false }
        return old.hierarchy.branch(of: before).contains { number in
            pairs.newName(of: old.name(number: number)).flatMap { new.place(of: $0) }
                .map { branch.contains(new.hierarchy.number(of: $0)) } ?? false
        }
    }
}

/// The entities of one version with their places in its hierarchies.
private struct Lineages {
    let hierarchy: Hierarchy
    private let places: [StoredText: Int]
    private let names: [String]

    init(_ entities: [EntityDescription]) {
        names = entities.map(\.name)
        let places = Dictionary(
            entities.enumerated().map { (StoredText($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
        self.places = places
        hierarchy = Hierarchy(
            parents: entities.map { entity in
                entity.superentity.flatMap { places[StoredText($0)] }
            })
    }

    func place(of name: String) -> Int? { places[StoredText(name)] }

    /// Returns the name of the entity that has a number in the order of the hierarchies.
    func name(number: Int) -> String { names[hierarchy.order[number]] }
}

extension EntityDescription {
    fileprivate var propertyNames: Set<StoredText> {
        Set((attributes.map(\.name) + relationships.map(\.name)).map { StoredText($0) })
    }
}
