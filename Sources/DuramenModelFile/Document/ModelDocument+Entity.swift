extension ModelDocument {
    /// An entity as written in a model file.
    public struct Entity: Sendable, Hashable {
        /// The author of the entity's class: the generator or the application.
        public enum CodeGeneration: String, Sendable, Codable, CaseIterable {
            /// The application writes the class.
            case none
            /// The generator writes the class; the application may extend it.
            case `class`
            /// The generator writes the properties as an extension, the application the class.
            case category
        }

        /// The element of the file.
        public let element: MarkupElement

        /// The entity's name.
        public var name: String { element["name"] ?? "" }
        /// The name of the entity whose properties this one inherits; nil for none.
        public var parent: String? { element["parentEntity"].nonEmpty }
        /// Whether no object can belong to exactly this entity.
        public var isAbstract: Bool { element.flag("isAbstract") }
        /// The name of the Swift class, without a module; nil for the general class.
        public var className: String? {
            guard let name = element["representedClassName"].nonEmpty, name != "NSManagedObject"
            else { return nil }
            return name.split(separator: ".").last.map(String.init)
        }
        /// The author of the class. By default it is the application.
        public var codeGeneration: CodeGeneration {
            element["codeGenerationType"].flatMap(CodeGeneration.init) ?? .none
        }
        /// The attributes that the entity declares itself, in the order of the file.
        public var attributes: [Attribute] { element.children("attribute").map(Attribute.init) }
        /// The relationships that the entity declares itself, in the order of the file.
        public var relationships: [Relationship] {
            element.children("relationship").map(Relationship.init)
        }
        /// The fetched properties, in the order of the file.
        public var fetchedProperties: [FetchedProperty] {
            element.children("fetchedProperty").map(FetchedProperty.init)
        }
        /// Lists of properties whose values together must be unique.
        public var uniquenessConstraints: [[String]] {
            (element.child("uniquenessConstraints")?.children("uniquenessConstraint") ?? [])
                .map { $0.children("constraint").compactMap { $0["value"] } }
        }
        /// The indexes, in the order of the file, including those of older tools
        /// (`compoundIndexes`).
        public var indexes: [Index] {
            element.children("fetchIndex").map(Index.init)
                + (element.child("compoundIndexes")?.children("compoundIndex") ?? [])
                .map(Index.init)
        }
    }

    /// A relationship as written in a model file.
    public struct Relationship: Sendable, Hashable {
        /// The element of the file.
        public let element: MarkupElement

        /// The relationship's name.
        public var name: String { element["name"] ?? "" }
        /// The name of the entity at the other end.
        public var destination: String { element["destinationEntity"] ?? "" }
        /// The name of the inverse relationship; nil for none.
        public var inverse: String? { element["inverseName"].nonEmpty }
        /// Whether the relationship is to-many. Tools write `toMany` or a maximum count.
        public var isToMany: Bool { element.flag("toMany") || (maximumCount ?? 1) != 1 }
        /// Whether a to-many keeps an order.
        public var isOrdered: Bool { element.flag("ordered") }
        /// Whether the relationship may have no destination when it is saved.
        public var isOptional: Bool { element.flag("optional") }
        /// The smallest number of destinations of a to-many.
        public var minimumCount: Int? { element["minCount"].flatMap { Int($0) } }
        /// The largest number of destinations of a to-many; nil or 0 for any number.
        public var maximumCount: Int? { element["maxCount"].flatMap { Int($0) } }
        /// The effect on the destinations when the owner is deleted: `Nullify`, `Cascade`, `Deny`
        /// or `No Action`.
        public var deletionRule: String { element["deletionRule"] ?? "No Action" }
    }

    /// A fetched property as written in a model file.
    public struct FetchedProperty: Sendable, Hashable {
        /// The element of the file.
        public let element: MarkupElement

        /// The property's name.
        public var name: String { element["name"] ?? "" }
        /// The fetch request of the fetched property.
        public var request: FetchRequest? { element.child("fetchRequest").map(FetchRequest.init) }
    }

    /// An index as written in a model file, in the form of present tools or of Xcode before version
    /// 9.
    public struct Index: Sendable, Hashable {
        /// One part of an index.
        public struct Element: Sendable, Hashable {
            /// The name of an attribute or to-one; nil for an expression.
            public var property: String?
            /// Whether small values come first.
            public var isAscending: Bool
            /// `Binary` for an order of values, `RTree` for locations.
            public var type: String
        }

        /// The element of the file.
        public let element: MarkupElement

        /// The index's name; nil for an index of older tools.
        public var name: String? { element["name"].nonEmpty }
        /// The condition of a partial index, as a format string; nil for none.
        public var condition: String? { element["partialIndexPredicate"].nonEmpty }
        /// The parts, most significant first.
        public var elements: [Element] {
            element.children.compactMap { part in
                switch part.name {
                case "fetchIndexElement":
                    Element(
                        property: part["property"].nonEmpty,
                        isAscending: part["order"] != "descending",
                        type: part["type"] ?? "Binary")
                case "index":
                    Element(property: part["value"].nonEmpty, isAscending: true, type: "Binary")
                default: nil
                }
            }
        }
    }
}
