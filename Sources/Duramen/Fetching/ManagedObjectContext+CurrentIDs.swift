import DuramenModel
import DuramenQuery

// What names a new object is asked for later too, when the object has its permanent ID.
extension ManagedObjectContext {
    /// A condition with the IDs that its objects have now.
    func current(_ predicate: FetchPredicate?) -> FetchPredicate? {
        guard hasOtherIDs else { return predicate }
        return predicate?.replacingObjectIDs(idInConditions)
    }

    /// An expression with the IDs that its objects have now.
    func current(_ expression: FetchExpression) -> FetchExpression {
        hasOtherIDs ? expression.replacingObjectIDs(idInConditions) : expression
    }

    /// The ID that an object has now, here and further up, where what is asked is answered.
    func idInConditions(_ id: ManagedObjectID) -> ManagedObjectID {
        let own = currentID(of: id)
        return parentPart?.whole.idInConditions(own) ?? own
    }

    /// Whether some object had another ID before, here or further up.
    private var hasOtherIDs: Bool {
        if parentPart?.whole.hasOtherIDs == true { return true }
        if isPlain { return !permanentKeys.isEmpty || !replacedIDs.isEmpty }
        return !whole.aliases.isEmpty
            || parts.contains { !$0.permanentKeys.isEmpty || !$0.replacedIDs.isEmpty }
    }
}
