/// The properties of all entities of a model by their names, inherited ones too. The entities have
/// no separate lists: with long chains of inheritance, such lists would grow with the square of
/// their length.
struct DeclaredProperties {
    /// The kind of property that has a name.
    enum Kind {
        case attribute(AttributeDescription)
        case relationship(RelationshipDescription)
        case fetchedProperty
    }

    /// One declaration of a name.
    struct Declaration {
        let kind: Kind
        /// The entity that declares the name.
        let place: Int
        /// The index, in the same list, of the declaration that the entity inherits or made before.
        fileprivate let outer: Int?
    }

    private struct Key: Hashable {
        let root: Int
        let name: StoredText
    }

    /// Names that an entity declares although it already has them: the entity, the name, and the
    /// entity that declared the name first.
    private(set) var repeated: [(place: Int, name: String, owner: Int)] = []
    private let hierarchy: Hierarchy
    // The lists are in the order of the hierarchy's numbers.
    private var declarations: [Key: [Declaration]] = [:]

    /// Collects the properties of all entities.
    ///
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

    /// Adds a declaration.
    ///
    /// - Returns: The entity that already declares the name; nil if none does.
    @discardableResult
    private mutating func append(_ name: StoredText, _ kind: Kind, at place: Int) -> Int? {
        let key = Key(root: hierarchy.roots[place], name: name)
        var list = declarations.removeValue(forKey: key) ?? []
        let outer = Self.enclosing(place, list.indices.last, in: list, hierarchy)
        list.append(Declaration(kind: kind, place: place, outer: outer))
        declarations[key] = list
        return outer.map { list[$0].place }
    }

    /// Returns the nearest declaration of a name for an entity; nil if there is none.
    ///
    /// - Complexity: O(log *n*) in the number of entities that declare the name, if no entity
    ///   declares it twice.
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

    /// Returns the last declaration, up to an index, of an entity or one of its ancestors.
    private static func enclosing(
        _ place: Int, _ start: Int?, in list: [Declaration], _ hierarchy: Hierarchy
    ) -> Int? {
        var index = start
        while let candidate = index, candidate >= 0 {
            if hierarchy.isAncestor(list[candidate].place, orSameAs: place) { return candidate }
            // Every declaration in between ended before this place as well.
            index = list[candidate].outer
        }
        return nil
    }
}

extension AttributeDescription {
    /// The elements of a composite, and of composites within it, by their paths.
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
