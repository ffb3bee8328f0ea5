/// A position in a model file, for messages. All positions are equal, so that documents compare by
/// their content.
public struct SourcePlace: Sendable, Hashable {
    /// The line, from 1; 0 for an element that was not read from a file.
    public var line: Int
    /// The byte in the line, from 1.
    public var column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position of elements that were not read from a file.
    public static let none = SourcePlace(line: 0, column: 0)

    /// Returns true: all positions are equal.
    public static func == (a: SourcePlace, b: SourcePlace) -> Bool { true }

    /// Hashes nothing, since all positions are equal.
    public func hash(into hasher: inout Hasher) {}
}
