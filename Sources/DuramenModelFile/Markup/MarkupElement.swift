/// An element of a model file as it is written. All content of a file is in its elements, so that
/// parts unknown to this library are preserved when it is written.
public struct MarkupElement: Sendable, Hashable {
    /// One attribute of an element.
    public struct Attribute: Sendable, Hashable {
        /// The attribute's name.
        public var name: String
        /// The value, without escapes.
        public var value: String
    }

    /// The element's name.
    public var name: String
    /// The attributes, in their order.
    public var attributes: [Attribute] = []
    /// The elements within.
    public var children: [MarkupElement] = []
    /// The text within, when it is more than white space.
    public var text = ""
    /// Where the element begins.
    public var place = SourcePlace.none

    /// An empty element.
    public init(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
        self.name = name
        self.attributes = attributes.map { Attribute(name: $0.key, value: $0.value) }
    }

    /// The value of an attribute; nil for none. A new attribute stands behind the others.
    public subscript(_ attribute: String) -> String? {
        get { attributes.first { $0.name == attribute }?.value }
        set {
            let place = attributes.firstIndex { $0.name == attribute }
            switch (place, newValue) {
            case (let place?, let value?): attributes[place].value = value
            case (let place?, nil): attributes.remove(at: place)
            case (nil, let value?): attributes.append(Attribute(name: attribute, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The children of a kind.
    public func children(_ name: String) -> [MarkupElement] { children.filter { $0.name == name } }

    /// The first child of a kind.
    public func child(_ name: String) -> MarkupElement? { children.first { $0.name == name } }

    /// Whether an attribute says `YES`.
    func flag(_ attribute: String) -> Bool { self[attribute] == "YES" }
}
