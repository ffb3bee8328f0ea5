/// The properties of all entities of a model by their names, inherited ones too, without a list for
/// each entity: long chains of inheritance would make such lists grow with the square of their
/// length.
struct DeclaredProperties {
    /// What a name stands for.
    enum Kind {
        case attribute(AttributeDescription)
        case relationship(RelationshipDescription)
        case fetchedProperty
    }

    /// One declaration of a name.
    struct Declaration {
        let kind: Kind
        /// The entity that declares it.
        let place: Int
        /// The declaration of the name that the entity inherits, or made before, in the same list.
        fileprivate let outer: Int?
    }

    private struct Key: Hashable {
        let root: Int
        let name: StoredText
    }

    /// Names that an entity declares although it has them already: the entity, the name, and the
    /// entity that it has the name from.
    private(set) var repeated: [(place: Int, name: String, owner: Int)] = []
    private let hierarchy: Hierarchy
    // In the order of the hierarchy's numbers.
    private var declarations: [Key: [Declaration]] = [:]

    /// - Complexity: O(*n*) in the number of declared properties and elements.
    init(_ descriptions: [EntityDescription], _ hierarchy: Hierarchy) {
        self.hierarchy = hierarchy
        let places = hierarchy.order + hierarchy.outside
        for place in places {
            let description = descriptions[place]
            for attribute in description.attributes {
                add(attribute.name, .attribute(attribute), at: place)
            }
            for relationship in description.relationships {
                add(relationship.name, .relationship(relationship), at: place)
            }
            for property in description.fetchedProperties {
                add(property.name, .fetchedProperty, at: place)
            }
            for attribute in description.attributes where attribute.type == .composite {
                for (path, element) in attribute.elementsByPath {
                    append(path, .attribute(element), at: place)
                }
            }
        }
    }

    private mutating func add(_ name: String, _ kind: Kind, at place: Int) {
        if let owner = append(StoredText(name), kind, at: place) {
            repeated.append((place, name, owner))
        }
    }

    /// - Returns: The entity that the name is taken from, if it is taken.
    @discardableResult
    private mutating func append(_ name: StoredText, _ kind: Kind, at place: Int) -> Int? {
        let key = Key(root: hierarchy.roots[place], name: name)
        var list = declarations.removeValue(forKey: key) ?? []
        let outer = Self.enclosing(place, list.indices.last, in: list, hierarchy)
        list.append(Declaration(kind: kind, place: place, outer: outer))
        declarations[key] = list
        return outer.map { list[$0].place }
    }

    /// What a name stands for in an entity: its nearest declaration; nil when there is none.
    ///
    /// - Complexity: O(log *n*) in the number of entities that declare the name, where none does
    ///   twice.
    func declaration(of name: StoredText, in place: Int) -> Declaration? {
        let key = Key(root: hierarchy.roots[place], name: name)
        guard let list = declarations[key] else { return nil }
        let number = hierarchy.number(of: place)
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if hierarchy.number(of: list[middle].place) <= number {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return Self.enclosing(place, low - 1, in: list, hierarchy).map { list[$0] }
    }

    /// The last declaration up to one in a list that is that of an entity or an ancestor.
    private static func enclosing(
        _ place: Int, _ start: Int?, in list: [Declaration], _ hierarchy: Hierarchy
    ) -> Int? {
        var index = start
        while let candidate = index, candidate >= 0 {
            if hierarchy.isAncestor(list[candidate].place, orSameAs: place) { return candidate }
            // Whatever lies between ended before this place as well.
            index = list[candidate].outer
        }
        return nil
    }
}

extension AttributeDescription {
    /// The elements of a composite, and those of composites in it, by their paths.
    fileprivate var elementsByPath: [(path: StoredText, element: AttributeDescription)] {
        var found: [(StoredText, AttributeDescription)] = []
        var waiting = [(name, elements)]
        while let (path, elements) = waiting.popLast() {
            for element in elements {
                found.append((StoredText("\(path).\(element.name)"), element))
                waiting.append(("\(path).\(element.name)", element.elements))
            }
        }
        return found
    }
}
