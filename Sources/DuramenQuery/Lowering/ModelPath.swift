import DuramenModel

/// A key path as far as a model knows it: its to-manys, and its end.
struct ModelPath {
    /// The names, with one name for each element of a composite.
    var names: [String] = []
    /// The indices in ``names`` that are to-manys.
    var toManys: [Int] = []
    /// The composite at the end of the path; nil if it ends otherwise.
    var composite: CompositeAttribute?
    /// The attribute at the end of the path; nil if it ends otherwise.
    var attribute: Attribute?
    /// The entity of the objects at the end of the path; nil for a value or an invalid path.
    var entity: Entity?
    /// The names after an attribute, which cannot be properties.
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

    /// Ends the path with an element of a composite, or with a name that the entity does not have.
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

    /// The names up to each to-many, and the names after the last one.
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
