/// The name and mail address of the person or team that looks after a package.
public struct Contact: Sendable, Hashable, CustomStringConvertible {
    /// The name, without the quotation marks that a name with a comma or full stop may carry.
    public var name: String
    /// The mail address, or `nil` when the field has none in angle brackets.
    public var address: String?

    /// Creates a maintainer from name and address.
    public init(name: String, address: String?) {
        self.name = name
        self.address = address
    }

    /// The name and address as the field states them.
    public var description: String { address.map { "\(name) <\($0)>" } ?? name }

    /// Reads `Name <address>`; text of another shape becomes the name, so that none is lost.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.last == Byte.greaterThan, let open = bytes.lastIndex(of: Byte.lessThan) else {
            self.init(name: text, address: nil)
            return
        }
        var name = bytes[..<open].trimmed
        if name.count >= 2, name.first == Byte.quote, name.last == Byte.quote {
            name = name.dropFirst().dropLast().trimmed
        }
        let address = bytes[(open + 1)..<(bytes.count - 1)].trimmed
        // The text is valid and is cut at ASCII bytes only, so that the parts are valid as well.
        self.init(
            name: String(decoding: name, as: UTF8.self),
            address: address.isEmpty ? nil : String(decoding: address, as: UTF8.self))
    }
}
