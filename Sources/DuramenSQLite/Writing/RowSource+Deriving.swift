import DuramenModel
import DuramenSQL
import DuramenStore

extension RowSource: DerivationSource {
    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try RowRequest(ids: ids, core: core).rows(from: self)
    }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        try DestinationRequest(core: core, relationship: relationship.id)
            .destinations(from: [id], source: self).first ?? []
    }
}
