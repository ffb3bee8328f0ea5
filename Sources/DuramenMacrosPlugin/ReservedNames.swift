/// Names that a property of a managed class cannot have, because `ManagedObject` has a member with
/// that name, which the property would hide.
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
