/// What a worker did to its files, in order; written by `TortureFaults`.
struct Recording {
    enum Event {
        /// A file was made.
        case created(file: UInt64, name: String)
        case written(file: UInt64, position: Int, bytes: [UInt8])
        /// The file was given a size.
        case resized(file: UInt64, size: Int)
        /// The file or folder was synced.
        case synced(file: UInt64)
        case removed(name: String)
        case renamed(from: String, to: String)
        case folderMade(name: String)
        /// The worker said a line.
        case said(String)
    }

    /// The names in events begin after the folder that was recorded.
    let events: [Event]

    /// Reads a recording of what happened in a folder.
    init(path: String, folder: String) throws {
        let bytes = try FileSystem.bytes(of: path)
        func number<Number: FixedWidthInteger>(_ place: Int, _: Number.Type) -> Number {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: Number.self) }
        }
        func name(_ part: ArraySlice<UInt8>) -> String {
            String(String(decoding: part, as: UTF8.self).dropFirst(folder.count + 1))
        }
        var events: [Event] = []
        var place = 0
        while place + 32 <= bytes.count {
            let middle = place + 32 + Int(number(place + 4, UInt32.self))
            let end = middle + Int(number(place + 8, UInt32.self))
            guard end <= bytes.count else { break }
            let (first, second) = (bytes[place + 32..<middle], bytes[middle..<end])
            let file = number(place + 16, UInt64.self)
            let position = Int(number(place + 24, Int64.self))
            switch bytes[place] {
            case UInt8(ascii: "C"): events.append(.created(file: file, name: name(first)))
            case UInt8(ascii: "W"):
                events.append(.written(file: file, position: position, bytes: Array(first)))
            case UInt8(ascii: "T"): events.append(.resized(file: file, size: position))
            case UInt8(ascii: "S"): events.append(.synced(file: file))
            case UInt8(ascii: "U"): events.append(.removed(name: name(first)))
            case UInt8(ascii: "R"):
                events.append(.renamed(from: name(first), to: name(second)))
            case UInt8(ascii: "M"): events.append(.folderMade(name: name(first)))
            case UInt8(ascii: "A"):
                for line in String(decoding: first, as: UTF8.self).split(separator: "\n") {
                    events.append(.said(String(line)))
                }
            default: throw TortureError("a recording has a record of kind \(bytes[place])")
            }
            place = end
        }
        guard place == bytes.count else { throw TortureError("a recording is cut short") }
        self.events = events
    }
}
