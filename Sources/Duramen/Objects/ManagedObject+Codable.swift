import DuramenModel
import Foundation

// Transformable attributes: values of any Codable type. Rows contain them as JSON, or as the bytes
// of a transformer.
extension ManagedObject {
    /// Returns the value of a transformable attribute, and fires the fault if there is one.
    ///
    /// A getter cannot throw. If the bytes cannot be decoded, the result is `initial`.
    /// ``faultError`` then has the error, and the context's next save throws it.
    /// - Parameters:
    ///   - slot: The attribute's slot.
    ///   - initial: The result if the slot has no value.
    /// - Complexity: Each call decodes the value, O(*n*) in its size.
    public final func codable<Value: Codable & Sendable>(
        at slot: Int, default initial: @autoclosure () -> Value
    ) -> Value {
        codable(at: slot) ?? initial()
    }

    /// Returns the value of an optional transformable attribute; see ``codable(at:default:)``.
    public final func codable<Value: Codable & Sendable>(
        at slot: Int, _ type: Value.Type = Value.self
    ) -> Value? {
        reportRead(slot: slot)
        guard let row = rowToRead(slot..<slot + 1), !row.isNull(slot) else { return nil }
        do throws(CodingFailure) {
            return try plan.transformedTypes.decode(
                Value.self, from: Data(row.unsafeBytes(slot)), at: slot)
        } catch {
            report(faultError: ContextError.damagedValue(of: name(ofSlot: slot), objectID, error))
            return nil
        }
    }

    /// Sets a transformable attribute. Setting an equal value is not a change. A value that cannot
    /// be encoded is rejected, and the context's next save throws.
    ///
    /// - Complexity: Encodes the value, O(*n*) in its size.
    public final func setCodable<Value: Codable & Sendable>(_ value: Value, at slot: Int) {
        if words == nil { fireFault() }
        do throws(CodingFailure) {
            let data = try plan.transformedTypes.encode(value, at: slot)
            if let row, !row.isNull(slot) {
                let stored = Data(row.unsafeBytes(slot))
                if plan.transformedTypes.isSame(value, data, as: stored, at: slot) { return }
            }
            telling(slot: slot) {
                if !flags.contains(.writable) {
                    guard becomeWritable(toChange: slot) else { return }
                }
                data.withUnsafeBytes { setBytes($0, at: slot) }
            }
        } catch {
            refuse(slot, error.problem)
        }
    }

    /// Sets an optional transformable attribute; see ``setCodable(_:at:)``.
    public final func setCodable<Value: Codable & Sendable>(_ value: Value?, at slot: Int) {
        if let value { return setCodable(value, at: slot) }
        if words == nil { fireFault() }
        if !holds(.null, at: slot) { setNull(slot) }
    }

    /// Removes the value of a slot.
    final func setNull(_ slot: Int) {
        telling(slot: slot) {
            if !flags.contains(.writable) { guard becomeWritable(toChange: slot) else { return } }
            mutableRow?.setNull(slot)
        }
    }

    /// Returns the name of the property in a slot, for messages.
    final func name(ofSlot slot: Int) -> String {
        plan.entity.attributes.first { $0.slot == slot }?.name
            ?? plan.relationship(forSlot: slot)?.name ?? "slot \(slot)"
    }
}
