/// One version of a model, as written in its `contents` file.
///
/// A document is the file's elements, with names for their meaning, so that writing a document
/// keeps everything that was read. `model(codableTypes:)` returns the model for stores and objects.
public struct ModelDocument: Sendable, Hashable {
    /// The element `model`, with all elements in it.
    public var root: MarkupElement

    /// Creates a document from any element. `findings()` reports invalid elements.
    public init(root: MarkupElement) { self.root = root }

    /// The document as the text of a `contents` file.
    public var text: String { MarkupWriter.text(root) }

    /// The names of this version, chosen by its author.
    public var versionIdentifiers: [String] {
        (root["userDefinedModelVersionIdentifier"] ?? "")
            .split(separator: ",").map { String($0.trimmingPrefix(while: \.isWhitespace)) }
    }

    /// The entities, in the order of the file.
    public var entities: [Entity] { root.children("entity").map(Entity.init) }

    /// The composites, in the order of the file.
    public var composites: [Composite] { root.children("composite").map(Composite.init) }

    /// The configurations, in the order of the file.
    public var configurations: [Configuration] {
        root.children("configuration").map(Configuration.init)
    }

    /// The named fetch requests, in the order of the file.
    public var fetchRequests: [FetchRequest] {
        root.children("fetchRequest").map(FetchRequest.init)
    }

    /// The positions of entities in the editor's diagram.
    var diagram: [MarkupElement] { root.child("elements")?.children("element") ?? [] }
}

extension ModelDocument {
    /// A named group of attributes.
    public struct Composite: Sendable, Hashable {
        /// The element of the file.
        public let element: MarkupElement
        /// The composite's name.
        public var name: String { element["name"] ?? "" }
        /// The elements of the composite, in the order of the file.
        public var attributes: [Attribute] { element.children("attribute").map(Attribute.init) }
    }

    /// A named selection of entities.
    public struct Configuration: Sendable, Hashable {
        /// The element of the file.
        public let element: MarkupElement
        /// The configuration's name.
        public var name: String { element["name"] ?? "" }
        /// The names of its entities.
        public var entities: [String] {
            element.children("memberEntity").compactMap { $0["name"] }
        }
    }

    /// A named fetch request of the model, which may have variables.
    public struct FetchRequest: Sendable, Hashable {
        /// The element of the file.
        public let element: MarkupElement
        /// The request's name.
        public var name: String { element["name"] ?? "" }
        /// The name of the entity whose objects are fetched.
        public var entity: String { element["entity"] ?? "" }
        /// The condition, as a format string; nil for none.
        public var predicate: String? { element["predicateString"].nonEmpty }
    }
}

extension MarkupElement {
    /// Notes of the application.
    var userInfo: [String: String] {
        Dictionary(
            (child("userInfo")?.children("entry") ?? []).map {
                ($0["key"] ?? "", $0["value"] ?? "")
            }, uniquingKeysWith: { _, last in last })
    }

    /// The name in an earlier version; nil if the file has the present name.
    var renamingIdentifier: String? {
        self["elementID"].nonEmpty.flatMap { $0 == self["name"] ? nil : $0 }
    }

    var versionHashModifier: String? { self["versionHashModifier"].nonEmpty }
}

extension String? {
    /// The text, or nil if it is empty: the editor writes empty texts for cleared fields.
    var nonEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }
}
