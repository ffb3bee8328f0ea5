import DuramenModel
public import DuramenStore
import Foundation

extension MigrationStep {
    /// Converts an attribute to a type for which no conversion is inferred.
    ///
    /// ```swift
    /// .convert("Order", "total") { (cents: Int64) -> Decimal? in Decimal(cents) / 100 }
    /// ```
    /// - Parameters:
    ///   - entity: The entity in the earlier version; subentities are included.
    ///   - attribute: The attribute in the next version.
    ///   - body: Converts a value. Null stays null.
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
                        .valuesDoNotFit,
                        "A value of '\(entity).\(attribute)' does not have the type \(Old.self).")
                }
                return try body(old)?.storedValue ?? .null
            })
    }

    /// Converts encoded values from one Codable type to another.
    ///
    /// ```swift
    /// .recode("Atlas", "scales", from: [Int].self, to: [Scale].self) { $0.map(Scale.init) }
    /// ```
    /// - Parameters:
    ///   - entity: The entity in the earlier version; subentities are included.
    ///   - attribute: The attribute in the next version.
    ///   - old: The type of the earlier values.
    ///   - new: The type of the new values.
    ///   - body: Converts a value. Null stays null.
    /// - Complexity: One pass, in bounded memory.
    public static func recode<Old: Codable & Sendable, New: Codable & Sendable>(
        _ entity: String, _ attribute: String, from old: Old.Type, to new: New.Type,
        _ body: @escaping @Sendable (Old) throws -> New?
    ) -> MigrationStep {
        MigrationStep(
            "recode \(entity).\(attribute)", of: entity,
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
                // Uses the transformer that the attribute names, if any.
                let reading =
                    between.codableType.flatMap { $0.type == old ? $0 : nil }
                    ?? CodableType("before", old)
                let writing =
                    known.next.encoding(attribute, as: new) ?? CodableType("afterwards", new)
                try work.rewrite(entity, writing: [attribute]) { (row, written) throws in
                    guard case .binary(let data) = row.storedValue(forKey: between.name),
                        let value = try reading.value(of: data) as? Old
                    else { return }
                    written.setStoredValue(
                        try body(value).map { .binary(try writing.data(of: $0)) } ?? .null,
                        forKey: attribute)
                }
            })
    }
}

extension Entity {
    /// Returns the encoding of a type's values in an attribute; nil if the attribute has another
    /// type.
    fileprivate func encoding(_ attribute: String, as type: Any.Type) -> CodableType? {
        guard case .attribute(let own)? = property(named: attribute), own.codableType?.type == type
        else { return nil }
        return own.codableType
    }
}
