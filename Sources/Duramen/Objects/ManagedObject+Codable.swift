import DuramenModel
import Foundation

// Transformable attributes: values of any Codable type. Rows hold them as JSON, or as the bytes
// that a transformer makes.
extension ManagedObject {
    /// Reads a transformable attribute, firing the fault when there is one.
    ///
    /// A getter cannot throw: when the bytes are no value of the type, the result is `initial`,
    /// ``faultError`` says why, and the context's next save throws it.
    /// - Parameter initial: What is read when there is no value.
    /// - Complexity: Each read decodes the value, O(*n*) in its size.
    public final func codable<Value: Codable & Sendable>(
        at slot: Int, default initial: @autoclosure () -> Value
    ) -> Value {
        codable(at: slot) ?? initial()
    }

    /// Reads an optional transformable attribute; see ``codable(at:default:)``.
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

    /// Changes a transformable attribute. Setting the same value again is not a change. A value
    /// that cannot be encoded is not taken, and the context's next save throws.
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

    /// Changes an optional transformable attribute; see ``setCodable(_:at:)``.
    public final func setCodable<Value: Codable & Sendable>(_ value: Value?, at slot: Int) {
        if let value { return setCodable(value, at: slot) }
        if words == nil { fireFault() }
        if !holds(.null, at: slot) { setNull(slot) }
    }

    /// Takes the value of a slot away.
    final func setNull(_ slot: Int) {
        telling(slot: slot) {
            if !flags.contains(.writable) { guard becomeWritable(toChange: slot) else { return } }
            mutableRow?.setNull(slot)
        }
    }

    /// The name of the property in a slot, for messages.
    final func name(ofSlot slot: Int) -> String {
        plan.entity.attributes.first { $0.slot == slot }?.name
            ?? plan.relationship(forSlot: slot)?.name ?? "slot \(slot)"
    }
}
