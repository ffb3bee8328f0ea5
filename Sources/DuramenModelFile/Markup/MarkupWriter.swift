/// Writes elements as Xcode does: with four spaces for each level and one line for each element.
enum MarkupWriter {
    static func text(_ root: MarkupElement) -> String {
        var text = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"# + "\n"
        write(root, indented: "", to: &text)
        return text
    }

    private static func write(_ element: MarkupElement, indented: String, to text: inout String) {
        text += "\(indented)<\(element.name)"
        for attribute in element.attributes {
            text += " \(attribute.name)=\"\(escaped(attribute.value))\""
        }
        if element.children.isEmpty, element.text.isEmpty {
            text += "/>\n"
            return
        }
        text += ">\(escaped(element.text))"
        if !element.children.isEmpty {
            text += "\n"
            for child in element.children { write(child, indented: indented + "    ", to: &text) }
            text += indented
        }
        text += "</\(element.name)>\n"
    }

    // Line breaks and tabs within values would become spaces, so they are written by number.
    private static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\r", "\t": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
