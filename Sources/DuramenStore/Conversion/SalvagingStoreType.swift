public import DuramenModel

/// A kind of store in files that can be copied in part when they are damaged.
public protocol SalvagingStoreType: PersistentStoreType {
    /// Copies the parts of a damaged store that can be read to a free place. The copy opens.
    ///
    /// The copy may lack objects that others refer to; ``StoreSalvage`` makes a whole store of it.
    ///
    /// - Returns: The parts that could not be read, as sentences.
    /// - Throws: `.damagedFile` when nothing can be copied; `.storeMissing`, `.foreignFile`;
    ///   `.invalidRequest` when the place is taken.
    func copyReadableParts(
        of source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) -> [String]
}

extension PersistentStoreDescription {
    /// Copies what can be read of this store, which may be damaged, into a new one.
    ///
    /// ```swift
    /// let report = try damaged.salvage(into: .sqlite("rescued.sqlite"))
    /// for loss in report.losses { print(loss) }
    /// ```
    /// The store is only read. Nobody may have it open. Values and objects that cannot be read are
    /// left out and listed. References to objects that are lost become nil. Objects keep their
    /// keys; the new store has an identity of its own and no history.
    ///
    /// - Parameters:
    ///   - destination: The new store, of any kind.
    ///   - model: The model; nil for the one that the store keeps.
    /// - Returns: The losses, and the checksums of the new store.
    /// - Throws: `.unsupported` for stores without files; `.damagedFile` when nothing can be
    ///   read; `.invalidRequest` when something is at the new place.
    /// - Complexity: Reads all three times and writes it twice. It needs room for two copies.
    public func salvage(
        into destination: PersistentStoreDescription, model: ManagedObjectModel? = nil
    ) throws(StoreError) -> StoreSalvage.Report {
        guard let type = type as? any SalvagingStoreType else {
            throw StoreError(
                .unsupported, "A store of kind '\(type.name)' has no files that could be damaged.")
        }
        try destination.checkIsFree()
        var parts = self
        parts.location = destination.location + ".salvaging"
        try? type.destroy(parts)
        var losses = try type.copyReadableParts(of: self, to: parts)
        defer { parts.discard() }
        let source = try open(parts, model: model)
        defer { try? source.close() }
        var made: (any PersistentStore)?
        do throws(StoreError) {
            let new = try destination.open(model: source.model)
            made = new
            var report = try StoreSalvage(from: source, to: new).run()
            try new.close()
            losses += report.losses
            report.losses = losses
            return report
        } catch {
            guard let made else { throw error }
            try? made.close()
            destination.discard()
            throw error
        }
    }

    /// Throws if there may be a store at the place, even one that cannot be read.
    private func checkIsFree() throws(StoreError) {
        do throws(StoreError) {
            _ = try type.metadata(of: readOnly())
        } catch {
            if error.code == .storeMissing { return }
            throw error
        }
        throw StoreError(
            .invalidRequest, "There is a store at '\(location)' already; name a free place.")
    }

    /// Opens the readable parts of a store.
    private func open(
        _ parts: PersistentStoreDescription, model: ManagedObjectModel?
    ) throws(StoreError) -> any PersistentStore {
        var parts = parts.readOnly()
        parts.opening.missingValuesAreNull = true
        parts.opening.isUnregistered = true
        do throws(StoreError) {
            let kept = if let model { model } else { try type.storedModel(of: parts).model }
            return try parts.open(model: kept)
        } catch {
            if error.code == .modelMissing || error.code == .incompatibleModel { throw error }
            throw StoreError(
                .damagedFile,
                "The description of the data in '\(location)' is damaged, so that nothing can be read. Restore a "
                    + "backup.", detail: error.description)
        }
    }
}
