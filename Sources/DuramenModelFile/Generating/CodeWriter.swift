/// Swift source, written line by line.
struct CodeWriter {
    private(set) var text = ""
    private var depth = 0

    /// Writes a line at the present indentation; an empty line has no spaces.
    mutating func line(_ line: String = "") {
        text += line.isEmpty ? "\n" : String(repeating: "    ", count: depth) + line + "\n"
    }

    /// Writes lines between braces.
    mutating func block(_ head: String, _ tail: String = "", _ body: (inout CodeWriter) -> Void) {
        line(head + " {")
        within(body)
        line("}" + tail)
    }

    /// Writes lines with one more level of indentation.
    mutating func within(_ body: (inout CodeWriter) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    /// Writes a list in brackets, with one line for each element; an empty list has one line.
    mutating func list(_ head: String, _ elements: [String], _ tail: String = "") {
        if elements.isEmpty { return line("\(head)[]\(tail)") }
        line("\(head)[")
        within { code in
            for element in elements { code.line("\(element),") }
        }
        line("]\(tail)")
    }
}
