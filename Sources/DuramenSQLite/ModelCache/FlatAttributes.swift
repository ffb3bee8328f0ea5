import DuramenModel

/// The attributes of a model's entities, with composites replaced by their elements.
///
/// No known model cache has a composite (type 2100), so its form is unknown. An element becomes an
/// attribute, whose name is its path with underscores. Such an attribute has the column in which
/// this library stores the element, so that every reader of the cache finds the values.
/// ```
///   epicentre.latitude   →   epicentre_latitude   in   ZEPICENTRE_LATITUDE
/// ```
/// An element is left out if another property has its name, because the column would be wrong.
struct FlatAttributes {
    private let model: ManagedObjectModel
    /// The topmost ancestor of each entity.
    private let roots: [Int]
    private let hasComposites: Bool
    private var origins: [Key: Origin] = [:]

    /// The meaning of a name.
    private enum Origin: Hashable {
        case property
        /// An element, by its path.
        case element(StoredText)
    }

    private struct Key: Hashable {
        let root: Int
        let name: StoredText

        /// Neither SQLite nor Core Data's spelling of columns distinguishes case.
        init(_ root: Int, _ name: String) {
            self.root = root
            self.name = StoredText(name.uppercased())
        }
    }

    init(_ model: ManagedObjectModel) {
        self.model = model
        roots = model.entities.map(\.root.index)
        hasComposites = model.hasComposites
        guard hasComposites else { return }
        for (place, entity) in model.descriptions.enumerated() {
            let names =
                entity.attributes.filter { $0.type != .composite }.map(\.name)
                + entity.relationships.map(\.name) + entity.fetchedProperties.map(\.name)
            for name in names { origins[Key(roots[place], name)] = .property }
        }
        for (place, entity) in model.descriptions.enumerated() {
            for path in entity.attributes.flatMap({ Self.elements(of: $0).map(\.path) }) {
                let key = Key(roots[place], Self.name(of: path))
                if origins[key] == nil { origins[key] = .element(StoredText(path)) }
            }
        }
    }

    /// The attributes that an entity declares itself.
    func attributes(of place: Int) -> [AttributeDescription] {
        let attributes = model.descriptions[place].attributes
        if !hasComposites { return attributes }
        return attributes.flatMap { attribute -> [AttributeDescription] in
            if attribute.type != .composite { return [attribute] }
            return Self.elements(of: attribute).compactMap { path, element in
                name(of: path, in: place) == nil ? nil : element
            }
        }
    }

    /// The name of an attribute or relationship of an entity; nil for an element that is left out.
    func name(of path: String, in place: Int) -> String? {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return path }
        let name = Self.name(of: path)
        return origins[Key(roots[place], name)] == .element(StoredText(path)) ? name : nil
    }

    private static func name(of path: String) -> String {
        String(String.UnicodeScalarView(path.unicodeScalars.map { $0 == "." ? "_" : $0 }))
    }

    /// The elements of a composite, at any depth, as attributes of their entity.
    ///
    /// It recurses into composites, whose paths are limited to 200 bytes.
    private static func elements(
        of attribute: AttributeDescription
    ) -> [(path: String, attribute: AttributeDescription)] {
        guard attribute.type == .composite else { return [] }
        return attribute.elements.flatMap { element -> [(String, AttributeDescription)] in
            var element = element
            let old = element.renamingIdentifier ?? element.name
            if attribute.renamingIdentifier != nil || element.renamingIdentifier != nil {
                let composite = attribute.renamingIdentifier ?? attribute.name
                element.renamingIdentifier = name(of: "\(composite).\(old)")
            }
            let path = "\(attribute.name).\(element.name)"
            element.isOptional = element.isOptional || attribute.isOptional
            element.name = path
            if element.type == .composite { return elements(of: element) }
            element.name = name(of: path)
            return [(path, element)]
        }
    }
}
