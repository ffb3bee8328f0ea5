import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// The layout of an entity in a schema, as far as reading its rows requires.
struct StoredLayout: Sendable {
    private let slotCount: Int
    private let tailSlots: [Int]
    /// Slots whose values have a tag.
    let externalSlots: [Int]

    init(_ entity: Catalog.EntityLayout) {
        slotCount = entity.slots.count
        tailSlots = entity.slots.indices.filter { entity.slots[$0].slotKind.isTail }
        externalSlots = entity.slots.indices.filter { entity.slots[$0].isExternal == true }
    }

    /// Whether every value of a row is within it.
    func fits(_ row: PackedRow) -> Bool { row.fits(slotCount: slotCount, tailSlots: tailSlots) }

    /// The names of the files that a valid row refers to.
    func fileNames(of row: PackedRow) -> [UUID] { files(of: row).map(\.name) }

    /// The files that a valid row refers to, and the slots of their values.
    func files(of row: PackedRow) -> [(slot: Int, name: UUID)] {
        externalSlots.compactMap { slot in
            guard !row.isNull(slot), let bytes = row.bytes(slot),
                case .file(let name)? = ExternalValue(bytes)
            else { return nil }
            return (slot, name)
        }
    }
}

extension Catalog.Slot {
    var slotKind: SlotKind { SlotKind(rawValue: kind) ?? .binary }
}
