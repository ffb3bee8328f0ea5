import DuramenModel

/// A key path as far as a model knows it: where it goes over to-manys, and what it ends in.
struct ModelPath {
    /// The names, with one name for each element of a composite.
    var names: [String] = []
    /// The places in ``names`` that are to-manys.
    var toManys: [Int] = []
    /// The composite that the path ends in.
    var composite: CompositeAttribute?
    /// The attribute that the path ends in.
    var attribute: Attribute?
    /// The entity that the path leads to; nil when it leads to a value, or nowhere.
    var entity: Entity?
    /// The names behind an attribute, which no property can have.
    var rest: [String] = []

    init(_ path: some Sequence<String>, from start: Entity, in model: ManagedObjectModel) {
        var current = start
        var waiting = Array(path)[...]
        while let name = waiting.popFirst() {
            switch current.property(named: name) {
            case .relationship(let relationship)?:
                if relationship.isToMany { toManys.append(names.count) }
                names.append(name)
                current = model[relationship.destination]
                continue
            case .attribute(let attribute)?:
                names.append(name)
                self.attribute = attribute
            case nil: end(name, of: current, &waiting)
            }
            rest = Array(waiting)
            return
        }
        entity = current
    }

    /// The element of a composite, or a name that the entity does not have.
    private mutating func end(
        _ name: String, of current: Entity, _ waiting: inout ArraySlice<String>
    ) {
        var element = name
        composite = current.composite(named: name)
        while composite != nil, let next = waiting.popFirst() {
            element += ".\(next)"
            composite = current.composite(named: element)
        }
        names.append(element)
        if case .attribute(let attribute)? = current.property(named: element) {
            self.attribute = attribute
        }
    }

    /// Whether the path ends in the destinations of a to-many.
    var endsInToMany: Bool { toManys.last == names.count - 1 && rest.isEmpty }

    /// The names up to each to-many, and then those behind the last one.
    var segments: (toManys: [[String]], last: [String]) {
        var segments: [[String]] = []
        var start = 0
        for place in toManys {
            segments.append(Array(names[start...place]))
            start = place + 1
        }
        return (segments, Array(names[start...]) + rest)
    }
}
