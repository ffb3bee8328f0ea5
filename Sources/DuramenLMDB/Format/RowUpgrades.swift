import DuramenModel
import DuramenStore
import Foundation

/// Reads rows that were written with earlier versions of the model, so that a migration rewrites
/// nothing.
///
/// Each migration records once how the rows of the previous version change, with the filled-in
/// values; a row goes through all migrations in order. So a removed value never reappears, and a
/// later default does not change an earlier row.
struct RowUpgrades: Sendable {
    /// The source of one slot of a current row, in the slots of the row's own schema.
    private enum Source: Sendable {
        case value(StoredValue)
        /// The value of a slot, converted; `ifNull` if it is null.
        case slot(Int, SlotKind, [ValueConversion], ifNull: StoredValue)
        case reference(Int, entitySlot: Int?, destination: Int)
        case entity(Int, entitySlot: Int?, destination: Int)
    }

    /// The upgrade of the rows of one entity in one schema.
    private final class Plan: Sendable {
        struct Copy: Sendable {
            var from: Int
            var to: Int
        }
        struct Number: Sendable {
            var value: Int64
            var slot: Int
        }

        let entity: EntityID
        let layout: RowLayout
        let old: StoredLayout
        let sources: [Source]
        // Copies that do not depend on the source.
        let words: [Copy]
        let tails: [Copy]
        let numbers: [Number]
        /// The slots that need more work.
        let others: [Int]

        init(_ entity: Entity, _ sources: [Source], from old: StoredLayout) {
            self.entity = entity.id
            layout = entity.layout
            self.old = old
            self.sources = sources
            var (words, tails, numbers): ([Copy], [Copy], [Number]) = ([], [], [])
            var others: [Int] = []
            for (slot, source) in sources.enumerated() {
                let isTail = layout.kinds[slot].isTail
                switch source {
                case .value(.null): break
                case .value(.integer(let number)) where !isTail:
                    numbers.append(Number(value: number, slot: slot))
                case .slot(let from, let kind, let conversions, .null)
                where kind.isTail == isTail && !conversions.contains(where: \.changesBytes)
                    && !old.externalSlots.contains(from):
                    if isTail {
                        tails.append(Copy(from: from, to: slot))
                    } else {
                        words.append(Copy(from: from, to: slot))
                    }
                default: others.append(slot)
                }
            }
            (self.words, self.tails, self.numbers) = (words, tails, numbers)
            self.others = others
        }
    }

    /// By schema, then by the entity's index in it; nil for removed entities.
    private let plans: [[Plan?]]
    /// By schema, then by the entity's index in it.
    private let layouts: [[StoredLayout]]
    /// By schema: the current index of each of its entities; negative if it was removed.
    private let entities: [[Int]]

    init(_ catalog: Catalog, model: ManagedObjectModel) {
        let schemas = catalog.schemas
        layouts = schemas.map { $0.entities.map(StoredLayout.init) }
        guard let last = schemas.last else {
            (plans, entities) = ([], [])
            return
        }
        // The current schema, whose rows need no upgrade; then back, one migration after the other.
        var plans: [[Plan?]] = [last.entities.map { _ in nil }]
        var entities = [Array(last.entities.indices)]
        for (schema, hop) in zip(schemas.dropLast(), catalog.upgrades).reversed() {
            let (next, nextPlaces) = (plans[0], entities[0])
            let isLast = plans.count == 1
            var own: [Plan?] = []
            var places: [Int] = []
            for (place, move) in hop.entities.enumerated() {
                guard let move, nextPlaces.indices.contains(move.entity),
                    nextPlaces[move.entity] >= 0,
                    place < schema.entities.count,
                    nextPlaces[move.entity] < model.entities.count
                else {
                    own.append(nil)
                    places.append(-1)
                    continue
                }
                let entity = model.entities[nextPlaces[move.entity]]
                let first = Self.sources(of: move, from: schema.entities[place])
                let sources =
                    isLast
                    ? first : next[move.entity]?.sources.map { Self.compose(first, $0) } ?? []
                // A damaged catalog has another number; its rows are rejected when they are read.
                own.append(
                    sources.count == entity.layout.slotCount
                        ? Plan(entity, sources, from: StoredLayout(schema.entities[place])) : nil)
                places.append(entity.id.index)
            }
            plans.insert(own, at: 0)
            entities.insert(places, at: 0)
        }
        self.plans = plans
        self.entities = entities
    }

    /// The sources of a stored plan.
    private static func sources(
        of move: Catalog.Move, from layout: Catalog.EntityLayout
    ) -> [Source] {
        move.sources.map { source in
            guard let slot = source.slot, layout.slots.indices.contains(slot),
                source.entitySlot.map(layout.slots.indices.contains) ?? true
            else { return .value(source.value ?? .null) }
            if let destination = source.destination {
                return source.isEntity == true
                    ? .entity(slot, entitySlot: source.entitySlot, destination: destination)
                    : .reference(slot, entitySlot: source.entitySlot, destination: destination)
            }
            return .slot(
                slot, layout.slots[slot].slotKind, source.conversion.map { [$0] } ?? [],
                ifNull: source.value ?? .null)
        }
    }

    /// The source of a slot across two upgrades.
    private static func compose(_ first: [Source], _ then: Source) -> Source {
        func source(_ slot: Int) -> Source {
            slot < first.count ? first[slot] : .value(.null)
        }
        switch then {
        case .value: return then
        case .slot(let slot, _, let conversions, let ifNull):
            switch source(slot) {
            case .value(let value):
                let converted = Self.converted(value, conversions)
                return .value(converted.isNull ? ifNull : converted)
            case .slot(let slot, let kind, let earlier, let filling):
                let converted = Self.converted(filling, conversions)
                return .slot(
                    slot, kind, earlier + conversions,
                    ifNull: converted.isNull ? ifNull : converted)
            case let other: return other
            }
        case .reference(let slot, _, _):
            guard case .reference = source(slot) else { return .value(.null) }
            return source(slot)
        case .entity(let slot, _, _):
            // The entity belongs to the key.
            guard case .reference(let slot, let entitySlot, let destination) = source(slot) else {
                return .value(.null)
            }
            return .entity(slot, entitySlot: entitySlot, destination: destination)
        }
    }

    private static func converted(
        _ value: StoredValue, _ conversions: [ValueConversion]
    ) -> StoredValue {
        conversions.reduce(value) { $1.converted($0) ?? .null }
    }

    /// The current entity of a row that was written with a schema; nil if it was removed or is
    /// unknown.
    @inline(__always) func entity(_ index: Int, schema: UInt16) -> EntityID? {
        guard Int(schema) < entities.count, index >= 0, index < entities[Int(schema)].count else {
            return nil
        }
        let found = entities[Int(schema)][index]
        return found < 0 ? nil : EntityID(index: found)
    }

    /// Copies a row of an earlier schema in the current layout.
    ///
    /// - Parameters:
    ///   - row: The stored row.
    ///   - schema: The schema of the row.
    ///   - builder: Receives the row.
    ///   - setExternal: Sets a slot to a value with a tag.
    /// - Returns: Whether the row was sound.
    func append(
        _ row: PackedRow, schema: UInt16, to builder: inout RowBatchBuilder,
        setExternal: (
            UnsafeRawBufferPointer, Int, EntityID, inout RowBatchBuilder
        ) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        guard Int(schema) < plans.count, row.entityIndex < plans[Int(schema)].count,
            let plan = plans[Int(schema)][row.entityIndex], plan.old.fits(row)
        else { return false }
        builder.beginRow(
            entity: plan.entity, slotCount: plan.layout.slotCount, key: row.key,
            version: row.version)
        for number in plan.numbers { builder.set(integer: number.value, at: number.slot) }
        for copy in plan.words where !row.isNull(copy.from) {
            builder.set(integer: row.integer(copy.from), at: copy.to)
        }
        for copy in plan.tails where !row.isNull(copy.from) {
            if let bytes = row.bytes(copy.from) { builder.set(bytes: bytes, at: copy.to) }
        }
        for slot in plan.others {
            let kind = plan.layout.kinds[slot]
            switch plan.sources[slot] {
            case .value(let value): builder.set(value, at: slot, as: kind)
            case .slot(let source, let oldKind, let conversions, let ifNull):
                if row.isNull(source) {
                    builder.set(ifNull, at: slot, as: kind)
                } else if conversions.contains(where: \.changesBytes) {
                    let value = Self.value(of: row, source, oldKind)
                    builder.set(Self.converted(value, conversions), at: slot, as: kind)
                } else if kind.isTail {
                    guard let bytes = row.bytes(source) else { continue }
                    if plan.old.externalSlots.contains(source) {
                        try setExternal(bytes, slot, plan.entity, &builder)
                    } else {
                        builder.set(bytes: bytes, at: slot)
                    }
                } else {
                    builder.set(integer: row.integer(source), at: slot)
                }
            case .reference(let source, let entitySlot, let destination):
                if entity(of: row, source, entitySlot, destination, schema) != nil {
                    builder.set(integer: row.integer(source), at: slot)
                }
            case .entity(let source, let entitySlot, let destination):
                if let entity = entity(of: row, source, entitySlot, destination, schema) {
                    builder.set(integer: Int64(entity.index), at: slot)
                }
            }
        }
        builder.endRow()
        return true
    }

    /// The current entity of a to-one's destination; nil for no destination.
    private func entity(
        of row: PackedRow, _ slot: Int, _ entitySlot: Int?, _ destination: Int, _ schema: UInt16
    ) -> EntityID? {
        if row.isNull(slot) { return nil }
        guard let entitySlot else { return entity(destination, schema: schema) }
        return row.isNull(entitySlot)
            ? nil : entity(Int(clamping: row.integer(entitySlot)), schema: schema)
    }

    /// A number whose type changes.
    private static func value(of row: PackedRow, _ slot: Int, _ kind: SlotKind) -> StoredValue {
        switch kind {
        case .boolean: return .boolean(row.integer(slot) != 0)
        case .double, .float:
            return .double(Double(bitPattern: UInt64(bitPattern: row.integer(slot))))
        case .decimal:
            guard let bytes = row.bytes(slot) else { return .null }
            let digits = String(decoding: bytes, as: UTF8.self)
            return Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX"))
                .map { .decimal($0) } ?? .null
        default: return .integer(row.integer(slot))
        }
    }

    /// The layout of a row; nil if it is unknown or the row does not fit it.
    private func layout(of row: PackedRow, schema: UInt16) -> StoredLayout? {
        guard Int(schema) < layouts.count, row.entityIndex < layouts[Int(schema)].count else {
            return nil
        }
        let layout = layouts[Int(schema)][row.entityIndex]
        return layout.fits(row) ? layout : nil
    }

    /// Whether rows of some schema may refer to files.
    var haveFiles: Bool { layouts.contains { $0.contains { !$0.externalSlots.isEmpty } } }

    /// The names of the files that a row of any schema refers to; nil if it is damaged.
    func fileNames(of row: PackedRow, schema: UInt16) -> [UUID]? {
        layout(of: row, schema: schema)?.fileNames(of: row)
    }
}
