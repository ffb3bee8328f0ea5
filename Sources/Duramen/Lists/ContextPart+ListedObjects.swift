import DuramenModel
import DuramenStore

extension ContextPart {
    /// The object of a listed row.
    ///
    /// - Parameter isCurrent: Whether the row is what the object has; else it is read when it is
    ///   needed.
    func listedObject(of row: Row, isCurrent: Bool = true) -> ManagedObject {
        let plan = plans[row.entityID.index]
        // What the context knows may be newer, or a fault that is to be read anew.
        if let known = plan.table.find(row.key) { return known }
        // A row with a temporary key would be renamed with its object, under the list.
        if !isCurrent || row.key < 0 {
            let id = row.objectID(in: model, store: handle.store)
            if let fault = registerFaultHere(id) { return fault }
        }
        return register(row)
    }
}
