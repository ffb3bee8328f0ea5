extension Entity {
    /// The names of the properties that stores keep, inherited ones too. A composite stands there
    /// by the paths of its elements.
    package var storedPropertyNames: [String] {
        attributes.map(\.name) + relationships.filter { !$0.isHidden }.map(\.name)
    }

    /// The names of all properties of any kind, inherited ones too.
    package var propertyNames: [String] {
        storedPropertyNames + composites.flatMap(\.withNested).map(\.name)
            + transientAttributes.map(\.name) + fetchedProperties.map(\.name)
    }

    /// Whether a property of any kind has the name.
    package func hasProperty(named name: String) -> Bool {
        let key = StoredText(name)
        return propertyNames.contains { StoredText($0) == key }
    }
}
