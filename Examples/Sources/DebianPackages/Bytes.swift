/// The bytes that the format gives a meaning.
enum Byte {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let hash = UInt8(ascii: "#")
    static let hyphen = UInt8(ascii: "-")
    static let fullStop = UInt8(ascii: ".")
    static let colon = UInt8(ascii: ":")
    static let lessThan = UInt8(ascii: "<")
    static let greaterThan = UInt8(ascii: ">")
}

extension UInt8 {
    /// Whether the byte is a space or tab, which is what marks a continuation line.
    @inline(__always)
    var isBlank: Bool { self == Byte.space || self == Byte.tab }

    /// Whether the byte is a blank or ends a line.
    @inline(__always)
    var isWhitespace: Bool { isBlank || self == Byte.lineFeed || self == Byte.carriageReturn }

    @inline(__always)
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    @inline(__always)
    var isLetterOrDigit: Bool {
        isDigit || (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z"))
    }

    /// Whether the byte may stand in a package name.
    // dpkg is laxer than Debian Policy 5.6.7 (capitals, underscores); other archives rely on it.
    @inline(__always)
    var isNameByte: Bool {
        isLetterOrDigit || self == Byte.hyphen || self == Byte.fullStop
            || self == UInt8(ascii: "+") || self == UInt8(ascii: "_")
    }

    /// Whether the byte may stand in a version (Debian Policy 5.6.12, and the underscore).
    @inline(__always)
    var isVersionByte: Bool {
        isNameByte || self == Byte.colon || self == UInt8(ascii: "~")
    }
}

/// Whether two bytes are the same letter in either case, or the same byte.
func isSameIgnoringCase(_ left: UInt8, _ right: UInt8) -> Bool {
    left == right
        || (left ^ right == 0x20 && left.isLetterOrDigit && !left.isDigit && !right.isDigit)
}

extension ArraySlice<UInt8> {
    /// The slice without blanks and line ends at either side.
    var trimmed: ArraySlice<UInt8> {
        var low = startIndex
        var high = endIndex
        while low < high, self[low].isWhitespace { low += 1 }
        while low < high, self[high - 1].isWhitespace { high -= 1 }
        return self[low..<high]
    }

    /// Whether the slice has the form of a package name.
    var isPackageName: Bool {
        guard let first else { return false }
        return first.isLetterOrDigit && allSatisfy(\.isNameByte)
    }

    /// Whether the slice has the form of a version.
    var isVersion: Bool { !isEmpty && allSatisfy(\.isVersionByte) }
}
