import DuramenModel

/// Finds the elements of a feed, one after the other.
///
/// It looks for the end of each element only. The element itself is checked when it is read, so
/// that a bad one does not end the feed.
package struct FeedElements {
    /// An element.
    package struct Element {
        /// The bytes that the element is in, without copying.
        package let bytes: [UInt8]
        /// The element in these bytes.
        package let range: Range<Int>
        /// The element's number, from 0 on.
        package let number: Int
    }

    /// The largest element, in bytes.
    static let maximumElementBytes = 1 << 28

    private var bytes: FeedBytes
    private let form: ImportFeed.Form
    /// The position in the feed behind the last element.
    package private(set) var position = 0
    private var number = 0
    private var isFirst = true

    /// Opens a feed, and goes to its array.
    ///
    /// - Parameter resumption: The position behind the elements to skip; nil to begin at the first.
    package init(
        _ feed: ImportFeed, after resumption: ImportPosition? = nil
    ) throws(ImportError) {
        bytes = try FeedBytes(feed.source)
        form = feed.form
        try skipByteOrderMark()
        if case .array(let pointer) = form {
            try findArray(try JSONPointer(pointer))
        }
        guard let resumption else { return }
        while number < resumption.elementCount {
            guard try next() != nil else { break }
        }
    }

    /// The next element; nil at the end.
    ///
    /// - Throws: ``ImportError`` `.unreadable`, `.malformed` where the bytes are not JSON so that
    ///   the next element cannot be found.
    package mutating func next() throws(ImportError) -> Element? {
        let found: Range<Int>?
        switch form {
        case .lines: found = try nextLine()
        case .array: found = try nextInArray()
        }
        guard let found else { return nil }
        defer { number += 1 }
        return Element(
            bytes: bytes.window,
            range: found.lowerBound - bytes.start..<found.upperBound - bytes.start, number: number)
    }

    // MARK: - Lines

    private mutating func nextLine() throws(ImportError) -> Range<Int>? {
        while true {
            let start = position
            var isEmpty = true
            while let byte = try byte(at: position, keepingFrom: start),
                byte != UInt8(ascii: "\n")
            {
                if byte > 0x20 { isEmpty = false }
                position += 1
            }
            let end = position
            let isLast = try byte(at: position, keepingFrom: start) == nil
            if !isLast { position += 1 }
            if !isEmpty { return start..<end }
            if isLast { return nil }
        }
    }

    // MARK: - An array

    private mutating func nextInArray() throws(ImportError) -> Range<Int>? {
        guard try goToNext(before: UInt8(ascii: "]"), isFirst: isFirst) else { return nil }
        isFirst = false
        let start = position
        try skipValue(from: start)
        return start..<position
    }

    /// Goes to the first element of the array that a pointer names.
    private mutating func findArray(_ pointer: JSONPointer) throws(ImportError) {
        for (depth, token) in pointer.tokens.enumerated() {
            let found: Bool
            switch try skipSpace() {
            case UInt8(ascii: "{"): found = try findMember(token)
            case UInt8(ascii: "["): found = try findElement(token)
            default: found = false
            }
            if !found {
                let path = JSONPointer(Array(pointer.tokens[...depth])).description
                throw ImportError(
                    .malformed,
                    "The document has nothing at '\(path)'. Correct the JSON pointer of the feed.")
            }
        }
        guard try skipSpace() == UInt8(ascii: "[") else {
            throw ImportError(
                .malformed,
                "The document has no array at '\(pointer)'. Name the array of the elements with a JSON "
                    + "pointer, such as '/features'.")
        }
        position += 1
    }

    private mutating func findMember(_ name: String) throws(ImportError) -> Bool {
        position += 1
        var isFirst = true
        while try goToNext(before: UInt8(ascii: "}"), isFirst: isFirst) {
            isFirst = false
            let start = position
            try skipValue(from: start)
            var reader = JSONReader(
                bytes.window, start - bytes.start..<position - bytes.start)
            let key: String
            do {
                key = try reader.readString()
            } catch {
                throw malformed(error.problem)
            }
            guard try skipSpace() == UInt8(ascii: ":") else {
                throw malformed("':' must follow a key")
            }
            position += 1
            if StoredText(key) == StoredText(name) { return true }
            _ = try skipSpace()
            try skipValue(from: nil)
        }
        return false
    }

    private mutating func findElement(_ token: String) throws(ImportError) -> Bool {
        guard let index = Int(token), index >= 0 else { return false }
        position += 1
        for number in 0...index {
            guard try goToNext(before: UInt8(ascii: "]"), isFirst: number == 0) else {
                return false
            }
            if number < index { try skipValue(from: nil) }
        }
        return true
    }

    // MARK: - Bytes

    /// Goes to the next value of an array or object, over the comma before it.
    ///
    /// - Returns: False at the end of the array or object.
    private mutating func goToNext(before close: UInt8, isFirst: Bool) throws(ImportError) -> Bool {
        guard let byte = try skipSpace() else {
            throw malformed("an array or object has no end")
        }
        if byte == close { return false }
        if isFirst { return true }
        guard byte == UInt8(ascii: ",") else { throw malformed("',' must stand between values") }
        position += 1
        _ = try skipSpace()
        return true
    }

    /// Goes behind a value: its brackets and quotes are followed, and nothing else is checked.
    ///
    /// - Parameter start: Where to keep the bytes from; nil to keep none.
    private mutating func skipValue(from start: Int?) throws(ImportError) {
        var depth = 0
        var isInString = false
        let first = position
        while true {
            guard let byte = try byte(at: position, keepingFrom: start ?? position) else {
                if depth == 0, !isInString, position > first { return }
                throw malformed("a value has no end")
            }
            if let start, position - start > Self.maximumElementBytes {
                throw malformed("an element has more than \(Self.maximumElementBytes >> 20) MiB")
            }
            if isInString {
                position += 1
                if byte == UInt8(ascii: "\\") {
                    position += 1
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                if depth == 0, position > first { return }
                isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 {
                    if position > first { return }
                    throw malformed("a value must begin here")
                }
                depth -= 1
                if depth == 0 {
                    position += 1
                    return
                }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 {
                    if position > first { return }
                    throw malformed("a value must begin here")
                }
            default: break
            }
            position += 1
        }
    }

    /// Goes to the next byte that is not space.
    private mutating func skipSpace() throws(ImportError) -> UInt8? {
        while let byte = try byte(at: position, keepingFrom: position) {
            guard [0x20, 0x09, 0x0A, 0x0D].contains(byte) else { return byte }
            position += 1
        }
        return nil
    }

    private mutating func skipByteOrderMark() throws(ImportError) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for (index, expected) in mark.enumerated() {
            guard try byte(at: index, keepingFrom: 0) == expected else { return }
        }
        position = mark.count
    }

    @inline(__always)
    private mutating func byte(
        at position: Int, keepingFrom start: Int
    ) throws(ImportError) -> UInt8? {
        while position >= bytes.end {
            guard try bytes.extend(keepingFrom: min(start, bytes.end)) else { return nil }
        }
        return bytes[position]
    }

    private func malformed(_ problem: String) -> ImportError {
        ImportError(.malformed, "The feed is not JSON at byte \(position): \(problem).")
    }
}
