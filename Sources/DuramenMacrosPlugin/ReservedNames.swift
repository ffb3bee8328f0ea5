/// Names that a property of a managed class cannot take, because `ManagedObject` has a member
/// of that name and a property of another meaning would hide it.
enum ReservedNames {
    static let ofManagedObject: Set<String> = [
        "changedValues", "debugDescription", "description", "entity", "faultError",
        "faultingState",
        "hasChanges", "hasPersistentChangedValues", "hash", "hashValue", "isDeleted",
        "isFault",
        "isGone", "isInserted", "isUpdated", "managedObjectContext", "objectID", "queryObjectID",
        "self",
    ]
}
