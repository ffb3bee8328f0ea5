import DuramenModel
import DuramenStore

extension ContextPart {
    /// Returns the object of a listed row.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - isCurrent: Whether the row has the object's present values; otherwise the object becomes
    ///     a fault.
    func listedObject(of row: Row, isCurrent: Bool = true) -> ManagedObject {
        let plan = plans[row.entityID.index]
        // A registered object may be newer than the row, or an invalidated fault.
        if let known = plan.table.find(row.key) { return known }
        // A row with a temporary key would change its key with the object while the list holds it.
        if !isCurrent || row.key < 0 {
            let id = row.objectID(in: model, store: handle.store)
            if let fault = registerFaultHere(id) { return fault }
        }
        return register(row)
    }
}
