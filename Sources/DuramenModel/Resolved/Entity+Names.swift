extension Entity {
    /// The names of the stored properties, inherited ones too. A composite is represented by the
    /// paths of its elements.
    package var storedPropertyNames: [String] {
        attributes.map(\.name) + relationships.filter { !$0.isHidden }.map(\.name)
    }

    /// The names of all properties of any kind, inherited ones too.
    package var propertyNames: [String] {
        storedPropertyNames + composites.flatMap(\.withNested).map(\.name)
            + transientAttributes.map(\.name) + fetchedProperties.map(\.name)
    }

    /// Returns whether a property of any kind has the name.
    package func hasProperty(named name: String) -> Bool {
        let key = StoredText(name)
        return propertyNames.contains { StoredText($0) == key }
    }
}
