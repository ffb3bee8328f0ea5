/// A name in natural order: runs of digits compare by their value, everything else by its bytes.
struct CountedName: Comparable {
    private let parts: [Part]

    private struct Part: Comparable {
        // A number comes before text.
        let number: [UInt8]?
        let text: [UInt8]

        static func < (a: Part, b: Part) -> Bool {
            switch (a.number, b.number) {
            case (let a?, let b?):
                a.count != b.count ? a.count < b.count : a.lexicographicallyPrecedes(b)
            case (nil, nil): a.text.lexicographicallyPrecedes(b.text)
            case (let number, _): number != nil
            }
        }
    }

    init(_ name: String) {
        var parts: [Part] = []
        var rest = name.utf8[...]
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        while !rest.isEmpty {
            let digits = rest.prefix(while: isDigit)
            rest = rest.dropFirst(digits.count)
            if !digits.isEmpty {
                // Leading zeros are ignored, so that `1` and `01` are equal.
                parts.append(Part(number: Array(digits.drop { $0 == 0x30 }), text: []))
            }
            let text = rest.prefix { !isDigit($0) }
            rest = rest.dropFirst(text.count)
            if !text.isEmpty { parts.append(Part(number: nil, text: Array(text))) }
        }
        self.parts = parts
    }

    static func < (a: CountedName, b: CountedName) -> Bool {
        a.parts.lexicographicallyPrecedes(b.parts)
    }
}
