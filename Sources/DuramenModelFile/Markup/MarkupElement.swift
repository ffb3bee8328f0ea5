/// An element of a model file, as written. All content of a file is in its elements, so that
/// writing preserves parts that this library does not know.
public struct MarkupElement: Sendable, Hashable {
    /// One attribute of an element.
    public struct Attribute: Sendable, Hashable {
        /// The attribute's name.
        public var name: String
        /// The value, with escapes resolved.
        public var value: String
    }

    /// The element's name.
    public var name: String
    /// The attributes, in the order of the file.
    public var attributes: [Attribute] = []
    /// The child elements.
    public var children: [MarkupElement] = []
    /// The text in the element, if it is more than white space.
    public var text = ""
    /// The position of the element's start.
    public var place = SourcePlace.none

    /// Creates an element without children.
    public init(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
        self.name = name
        self.attributes = attributes.map { Attribute(name: $0.key, value: $0.value) }
    }

    /// Accesses the value of an attribute; nil for none. A new attribute is added at the end.
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

    /// Returns the children with a name.
    public func children(_ name: String) -> [MarkupElement] { children.filter { $0.name == name } }

    /// Returns the first child with a name.
    public func child(_ name: String) -> MarkupElement? { children.first { $0.name == name } }

    /// Returns whether the value of an attribute is `YES`.
    func flag(_ attribute: String) -> Bool { self[attribute] == "YES" }
}
