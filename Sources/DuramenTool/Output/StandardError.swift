import Foundation

/// What is said beside the output, so that the output can be a file.
enum StandardError {
    static func print(_ line: String) {
        FileHandle.standardError.write(Data((PlainLine(line).text + "\n").utf8))
    }
}
