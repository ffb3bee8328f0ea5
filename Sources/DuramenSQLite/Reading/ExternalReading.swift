import DuramenFileStore
import DuramenModel
import DuramenStore

/// Reads the large values of one connection's rows, and stores the first failure until the rows are
/// complete.
final class ExternalReading {
    private let values: ExternalValues
    private let schema: AppleSchema
    private var failure: StoreError?

    init(_ values: ExternalValues, schema: AppleSchema) {
        self.values = values
        self.schema = schema
    }

    /// Sets the value of a slot, which stays null on failure.
    func set(
        _ column: UnsafeRawBufferPointer, at slot: Int, key: Int64, of entity: EntityID,
        in builder: inout RowBatchBuilder
    ) {
        do throws(ExternalValues.Failure) {
            try values.withValue(of: column) { builder.set(bytes: $0, at: slot) }
        } catch {
            guard case .damaged(let damage, let name) = error, failure == nil else { return }
            let entity = schema.model[entity]
            failure = .damagedValue(
                damage, file: name, in: values.folder, slot: slot,
                of: ManagedObjectID(store: schema.store, entity: entity.handle, key: key), entity)
        }
    }

    /// Throws the stored failure, once.
    func check() throws(StoreError) {
        guard let failed = failure else { return }
        failure = nil
        throw failed
    }
}
