public import DuramenModel
public import DuramenStore
public import Foundation

extension StoreError {
    /// Returns the error for a value whose file is damaged.
    ///
    /// - Parameters:
    ///   - damage: The damage of the file.
    ///   - name: The name of the file; nil when the row is damaged too.
    ///   - folder: The folder of the store.
    ///   - slot: The slot of the value.
    ///   - id: The object.
    ///   - entity: The object's entity.
    public static func damagedValue(
        _ damage: ExternalValueFolder.Damage, file name: UUID?, in folder: ExternalValueFolder,
        slot: Int, of id: ManagedObjectID, _ entity: Entity
    ) -> StoreError {
        let attribute = entity.attributes.first { $0.slot == slot }?.name ?? ""
        let value = "the value of '\(entity.name).\(attribute)' of \(id)"
        guard let name else {
            return StoreError(
                .damagedValue, "A row does not say what \(value) is; restore a copy.", objectID: id)
        }
        let file = "The file '\(folder.path(of: name))' with \(value)"
        switch damage {
        case .missing:
            return StoreError(
                .damagedValue, "\(file) is missing; put it back from a copy.", objectID: id)
        case .altered:
            return StoreError(
                .damagedValue, "\(file) was altered; put it back from a copy.", objectID: id)
        case .unreadable(let error):
            return StoreError(
                SystemCalls.isPermission(error) ? .permissionDenied : .io,
                "\(file) cannot be read; check its mode and the disk.", objectID: id,
                detail: SystemCalls.message(error))
        }
    }
}
