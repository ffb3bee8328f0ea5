public import DuramenModel

/// Searches rows that a change of the model does not allow.
///
/// ```swift
/// var check = MigrationRowCheck(change, path: path)
/// if check.concerns(root) { forEachRow { check.note($0) } }
/// try check.finish()
/// ```
public struct MigrationRowCheck {
    private struct Conversion {
        var attribute: Attribute
        var conversion: ValueConversion
        var misfits = 0
    }

    private let change: SchemaChange
    private let path: String
    /// By old entity.
    private var conversions: [[Conversion]]
    private let isAbstract: [Bool]
    private var objects: [Int]

    /// Creates a check of a store's rows.
    public init(_ change: SchemaChange, path: String) {
        self.change = change
        self.path = path
        conversions = change.source.entities.map { entity in
            (change.rows[entity.id.index]?.sources ?? []).compactMap { source in
                guard case .slot(let slot, let conversion?, _) = source, !conversion.isLossless
                else { return nil }
                return entity.attributes.first { $0.slot == slot }
                    .map { Conversion(attribute: $0, conversion: conversion) }
            }
        }
        isAbstract = change.rows.map { rows in
            rows.map { change.target[$0.entity].isAbstract } ?? false
        }
        objects = change.rows.map { _ in 0 }
    }

    /// Whether rows of a hierarchy may be invalid in the new model.
    public func concerns(_ root: Entity) -> Bool {
        root.family.contains { isAbstract[$0.index] || !conversions[$0.index].isEmpty }
    }

    /// Checks a row of the old model.
    public mutating func note(_ row: Row) {
        let entity = row.entityID.index
        objects[entity] += 1
        for place in conversions[entity].indices {
            let check = conversions[entity][place]
            let value = row.value(check.attribute.slot, check.attribute.kind)
            if check.conversion.converted(value) == nil { conversions[entity][place].misfits += 1 }
        }
    }

    /// - Throws: `.valuesDoNotFit` when a checked row was invalid.
    public func finish() throws(StoreError) {
        let problem = MigrationProblem(change: change, path: path)
        for entity in change.source.entities {
            if isAbstract[entity.id.index], objects[entity.id.index] > 0 {
                throw problem.hasObjects(entity, count: objects[entity.id.index])
            }
            for check in conversions[entity.id.index] where check.misfits > 0 {
                throw problem.doNotFit(
                    entity, check.attribute.name, check.conversion, count: check.misfits)
            }
        }
    }
}
