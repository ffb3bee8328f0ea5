import DuramenModel
public import DuramenStore
import Foundation

extension MigrationStep {
    /// Computes the values of an attribute whose type changes in a way that is not inferred.
    ///
    /// ```swift
    /// .convert("Order", "total") { (cents: Int64) -> Decimal? in Decimal(cents) / 100 }
    /// ```
    /// - Parameters:
    ///   - entity: The entity in the version before, with its sub-entities.
    ///   - attribute: The attribute in the next version.
    ///   - body: Makes the new value of the old one. Objects without a value have none afterwards.
    /// - Complexity: One pass, in bounded memory.
    public static func convert<Old: AttributeValue, New: AttributeValue>(
        _ entity: String, _ attribute: String, _ body: @escaping @Sendable (Old) throws -> New?
    ) -> MigrationStep {
        convert(
            entity, attribute,
            storedValues: { value in
                if value.isNull { return .null }
                guard let old = Old(storedValue: value) else {
                    throw StoreError(
                        .valuesDoNotFit, "A value of '\(entity).\(attribute)' is no \(Old.self).")
                }
                return try body(old)?.storedValue ?? .null
            })
    }

    /// Makes values of one Codable type values of another one, in an attribute that keeps encoded
    /// values.
    ///
    /// ```swift
    /// .recode("Atlas", "scales", from: [Int].self, to: [Scale].self) { $0.map(Scale.init) }
    /// ```
    /// - Parameters:
    ///   - entity: The entity in the version before, with its sub-entities.
    ///   - attribute: The attribute in the next version.
    /// - Complexity: One pass, in bounded memory.
    public static func recode<Old: Codable & Sendable, New: Codable & Sendable>(
        _ entity: String, _ attribute: String, from old: Old.Type, to new: New.Type,
        _ body: @escaping @Sendable (Old) throws -> New?
    ) -> MigrationStep {
        let (before, afterwards) = (CodableType("before", old), CodableType("afterwards", new))
        return MigrationStep(
            "recode \(entity).\(attribute)",
            check: { bridge in
                var problems: [String] = []
                if let known = bridge.entities(entity, &problems),
                    let written = bridge.written(attribute, of: known.next, &problems),
                    written.type != .transformable
                {
                    problems.append("'\(entity).\(attribute)' keeps no encoded values")
                }
                return problems
            },
            body: { work in
                var problems: [String] = []
                guard let known = work.bridge.entities(entity, &problems),
                    let between = work.bridge.attribute(ofNext: attribute, in: known.next)
                else { return }
                try work.rewrite(entity, writing: [attribute], where: nil) {
                    (row, written) throws in
                    guard case .binary(let data) = row.storedValue(forKey: between.name) else {
                        return
                    }
                    // With the transformer that the attribute names, if it names one.
                    let (reading, writing) = (
                        between.codableType?.type == old ? between.codableType ?? before : before,
                        known.next.encoding(attribute, as: new) ?? afterwards
                    )
                    guard let value = try reading.value(of: data) as? Old else { return }
                    let made = try body(value)
                    written.setStoredValue(
                        try made.map { .binary(try writing.data(of: $0)) } ?? .null,
                        forKey: attribute)
                }
            })
    }
}

extension Entity {
    /// How values of a type are encoded in an attribute; nil when it says nothing of the type.
    fileprivate func encoding(_ attribute: String, as type: Any.Type) -> CodableType? {
        guard case .attribute(let own)? = property(named: attribute), own.codableType?.type == type
        else { return nil }
        return own.codableType
    }
}
