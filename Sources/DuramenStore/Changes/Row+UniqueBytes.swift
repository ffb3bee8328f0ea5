import DuramenModel

extension Row {
    /// Some values as bytes, equal for equal values only; nil when one is null.
    func bytes(of slots: [Int], layout: RowLayout) -> [UInt8]? {
        var bytes: [UInt8] = []
        for slot in slots {
            if isNull(slot) { return nil }
            if layout.kinds[slot].isTail {
                let value = unsafeBytes(slot)
                withUnsafeBytes(of: value.count) { bytes.append(contentsOf: $0) }
                bytes.append(contentsOf: value)
            } else {
                withUnsafeBytes(of: integer(slot)) { bytes.append(contentsOf: $0) }
            }
        }
        return bytes
    }
}
