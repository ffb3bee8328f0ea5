/// Shows how far a long piece of work has come, on standard error unless told otherwise.
///
/// On a terminal one line is redrawn each time the percentage changes; anywhere else a plain line
/// is printed per tenth of the work, so that a log stays short. Work whose total is unknown shows
/// the amount alone, each time it has grown by ``unknownTotalStep``.
///
///     Reading  [###########···················]  37 %  22 400 packages
public struct ProgressBar<Output: TextOutputStream> {
    private let title: String
    private let isTerminal: Bool
    private let columns: Int
    private var output: Output
    private var lastStep = -1
    private var isLineOpen = false

    /// How many units of unknown work pass between two lines.
    public var unknownTotalStep = 1 << 20

    /// Creates a bar that writes to a stream.
    ///
    /// - Parameters:
    ///   - title: What is being done, such as `Reading`.
    ///   - output: Where the lines go.
    ///   - isTerminal: Whether the line can be redrawn.
    ///   - columns: How wide a redrawn line may get; a wider one would wrap and leave traces.
    public init(title: String, output: Output, isTerminal: Bool, columns: Int = 79) {
        self.title = title.printable
        self.output = output
        self.isTerminal = isTerminal
        self.columns = max(20, columns)
    }

    /// Shows a new state of the work when it differs enough from the one shown last.
    ///
    /// - Parameters:
    ///   - completed: The units of work that are done.
    ///   - total: The units in all, or `nil` when unknown.
    ///   - note: What stands behind the bar; it is built only when a line is drawn.
    public mutating func update(
        completed: Int, total: Int?, note: @autoclosure () -> String = ""
    ) {
        let percent = total.map { Self.percent(completed, of: $0) }
        let step: Int
        if let percent {
            step = isTerminal ? percent : percent / 10
            // The line for the whole is left to `finish`, which has the better note.
            if !isTerminal && percent == 100 { return }
        } else {
            step = completed / max(1, unknownTotalStep)
        }
        guard step > lastStep else { return }
        lastStep = step
        draw(percent: percent, note: note())
    }

    /// Prints a line of its own above the bar, which the next update draws again.
    public mutating func print(_ line: String) {
        output.write((isLineOpen ? "\r\u{1B}[K" : "") + line.printable + "\n")
        // A log has no bar to draw again.
        if isLineOpen { lastStep = -1 }
        isLineOpen = false
    }

    /// Draws the last state and ends the line; the bar can then be used for another round.
    public mutating func finish(note: String = "") {
        draw(percent: 100, note: note)
        if isLineOpen { output.write("\n") }
        isLineOpen = false
        lastStep = -1
    }

    private mutating func draw(percent: Int?, note: String) {
        let note = note.printable
        guard isTerminal else {
            let parts = [title, percent.map { "\($0) %" } ?? "", note]
            output.write(parts.filter { !$0.isEmpty }.joined(separator: "  ") + "\n")
            return
        }
        var line = title
        if let percent { line += "  \(Self.bar(percent))  \(Self.padded(percent)) %" }
        if !note.isEmpty { line += "  \(note)" }
        // Back to the first column, the text, then erase what an earlier, longer line left.
        output.write("\r\(line.cut(toColumns: columns))\u{1B}[K")
        isLineOpen = true
    }

    private static func percent(_ completed: Int, of total: Int) -> Int {
        guard total > 0 else { return 100 }
        return Int(Double(min(max(0, completed), total)) / Double(total) * 100)
    }

    private static func bar(_ percent: Int) -> String {
        let filled = percent * 30 / 100
        return "[" + String(repeating: "#", count: filled)
            + String(repeating: "·", count: 30 - filled) + "]"
    }

    private static func padded(_ percent: Int) -> String {
        let digits = String(percent)
        return String(repeating: " ", count: 3 - digits.count) + digits
    }
}

extension ProgressBar where Output == StandardError {
    /// Creates a bar on standard error, which redraws its line only when that is a terminal.
    public init(title: String) {
        self.init(title: title, output: StandardError(), isTerminal: StandardError.isTerminal)
    }
}

extension ProgressBar: Sendable where Output: Sendable {}
