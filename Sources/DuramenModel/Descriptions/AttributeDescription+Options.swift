extension AttributeDescription {
    /// The same attribute, whose large values stores may keep in files of their own.
    public func externallyStored() -> AttributeDescription {
        var copy = self
        copy.allowsExternalBinaryDataStorage = true
        return copy
    }

    /// The same attribute, whose value is kept in the history when its object is deleted.
    public func preservedOnDeletion() -> AttributeDescription {
        var copy = self
        copy.preservesValueInHistoryOnDeletion = true
        return copy
    }

    /// The same attribute, whose values are left out wherever values may be shown.
    public func confidential() -> AttributeDescription {
        var copy = self
        copy.isConfidential = true
        return copy
    }
}
