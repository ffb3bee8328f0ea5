import DuramenQuery

/// Sample values for the placeholders of a format string whose arguments are only known at run
/// time.
struct PlaceholderArguments {
    private(set) var arguments: [any PredicateArgument] = []
    /// Whether the arguments have a key path.
    private(set) var hasKeyPath = false

    init(for format: String) {
        let bytes = Array(format.utf8)
        var place = 0
        var quote: UInt8?
        while place < bytes.count {
            defer { place += 1 }
            if let open = quote {
                if bytes[place] == UInt8(ascii: "\\") {
                    place += 1
                } else if bytes[place] == open {
                    quote = nil
                }
                continue
            }
            switch bytes[place] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = bytes[place]
            case UInt8(ascii: "%"):
                place += 1
                // Length modifiers of numbers.
                while place < bytes.count, "hlq".utf8.contains(bytes[place]) { place += 1 }
                if place < bytes.count { add(bytes[place]) }
            default: break
            }
        }
    }

    private mutating func add(_ conversion: UInt8) {
        switch conversion {
        case UInt8(ascii: "%"): break
        case UInt8(ascii: "@"): arguments.append(FetchExpression.variable("argument"))
        case UInt8(ascii: "K"):
            hasKeyPath = true
            arguments.append("argument")
        case UInt8(ascii: "s"), UInt8(ascii: "c"), UInt8(ascii: "C"): arguments.append("a")
        case UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "f"), UInt8(ascii: "g"),
            UInt8(ascii: "G"):
            arguments.append(1.5)
        default: arguments.append(1)
        }
    }
}
