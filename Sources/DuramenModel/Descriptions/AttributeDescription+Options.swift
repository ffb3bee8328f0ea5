extension AttributeDescription {
    /// Returns this attribute with permission for stores to keep large values in separate files.
    public func externallyStored() -> AttributeDescription {
        var copy = self
        copy.allowsExternalBinaryDataStorage = true
        return copy
    }

    /// Returns this attribute with its value kept in the history when its object is deleted.
    public func preservedOnDeletion() -> AttributeDescription {
        var copy = self
        copy.preservesValueInHistoryOnDeletion = true
        return copy
    }

    /// Returns this attribute as a derived attribute, whose value stores compute with each save
    /// that changes its sources.
    ///
    /// ```swift
    /// AttributeDescription("total", .decimal, default: .decimal(0))
    ///     .derived(from: "items.price.@sum")
    /// ```
    /// A derived attribute can be queried, sorted by and indexed like any other. Contexts have its
    /// new value after the save. A new object has the default value until then, so a mandatory
    /// derived attribute needs a default. The application cannot set the value.
    ///
    /// - Parameter expression: One of the forms of ``DerivationExpression``. Creating the model
    ///   fails for any other text.
    public func derived(from expression: String) -> AttributeDescription {
        var copy = self
        copy.derivationExpression = expression
        return copy
    }

    /// Returns this transformable attribute with a transformer that encodes its values.
    ///
    /// ```swift
    /// AttributeDescription.codable([String].self, name: "tags", identifier: "[String]")
    ///     .transformed(by: "NSSecureUnarchiveFromData")
    /// ```
    /// - Parameter name: A name of ``ValueTransformers``. Values are stored as JSON while no
    ///   transformer is registered under the name.
    public func transformed(by name: String) -> AttributeDescription {
        var copy = self
        copy.valueTransformerName = name
        return copy
    }

    /// Returns this attribute as a confidential attribute, whose values are left out of logs and
    /// descriptions.
    public func confidential() -> AttributeDescription {
        var copy = self
        copy.isConfidential = true
        return copy
    }
}
