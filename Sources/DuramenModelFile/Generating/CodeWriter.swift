/// Swift source, line by line.
struct CodeWriter {
    private(set) var text = ""
    private var depth = 0

    /// A line at the present depth; an empty one has no spaces.
    mutating func line(_ line: String = "") {
        text += line.isEmpty ? "\n" : String(repeating: "    ", count: depth) + line + "\n"
    }

    /// Lines between braces.
    mutating func block(_ head: String, _ tail: String = "", _ body: (inout CodeWriter) -> Void) {
        line(head + " {")
        within(body)
        line("}" + tail)
    }

    /// Lines one level deeper.
    mutating func within(_ body: (inout CodeWriter) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    /// A list in brackets with an element a line, behind what it belongs to; in one line when it is
    /// empty.
    mutating func list(_ head: String, _ elements: [String], _ tail: String = "") {
        if elements.isEmpty { return line("\(head)[]\(tail)") }
        line("\(head)[")
        within { code in
            for element in elements { code.line("\(element),") }
        }
        line("]\(tail)")
    }
}
