extension AttributeDescription {
    /// Returns this attribute with permission for stores to keep large values in files of their
    /// own.
    public func externallyStored() -> AttributeDescription {
        var copy = self
        copy.allowsExternalBinaryDataStorage = true
        return copy
    }

    /// Returns this attribute with the setting that its value is kept in the history when its
    /// object is deleted.
    public func preservedOnDeletion() -> AttributeDescription {
        var copy = self
        copy.preservesValueInHistoryOnDeletion = true
        return copy
    }

    /// Returns this attribute as a derived one, whose value stores compute with each save that
    /// changes its sources.
    ///
    /// ```swift
    /// AttributeDescription("total", .decimal, default: .decimal(0)).derived(from: "items.price.@sum")
    /// ```
    /// It can be queried, sorted by and indexed like any other. Contexts have its new value when
    /// the save is done; a new object has its default until then, and a mandatory one needs a
    /// default. Nobody else can set it.
    ///
    /// - Parameter expression: One of the forms of ``DerivationExpression``. The model refuses any
    ///   other.
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
    ///   transformer has it.
    public func transformed(by name: String) -> AttributeDescription {
        var copy = self
        copy.valueTransformerName = name
        return copy
    }

    /// Returns this attribute as a confidential one, whose values are left out wherever values may
    /// be shown.
    public func confidential() -> AttributeDescription {
        var copy = self
        copy.isConfidential = true
        return copy
    }
}
