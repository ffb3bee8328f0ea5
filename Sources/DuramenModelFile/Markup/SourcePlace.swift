/// A place in a model file, for messages. Two places are always equal, so that documents compare by
/// what they say.
public struct SourcePlace: Sendable, Hashable {
    /// The line, from 1; 0 for what was not read from a file.
    public var line: Int
    /// The byte in the line, from 1.
    public var column: Int

    /// Names a place.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The place of what was not read from a file.
    public static let none = SourcePlace(line: 0, column: 0)

    /// Always true.
    public static func == (a: SourcePlace, b: SourcePlace) -> Bool { true }

    /// Feeds nothing.
    public func hash(into hasher: inout Hasher) {}
}
