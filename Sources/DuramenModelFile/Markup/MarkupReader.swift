/// Reads XML as Core Data's tools write it: elements, attributes, text and comments, in UTF-8.
///
/// The reader is strict, since tools do not write other parts of XML. It rejects document types,
/// and so all entities except the five and characters by number. It also rejects processing
/// instructions and character data sections. Time and memory are linear in the text, and nothing
/// recurses.
struct MarkupReader {
    let bytes: [UInt8]
    var position = 0
    /// The line of `position`, and the position at which it begins.
    var line = 1
    var lineStart = 0
    /// The open elements, outermost first.
    private var open: [MarkupElement] = []
    /// Whether a document type declaration without content is skipped, as property lists have it.
    private let allowsDocumentType: Bool

    private init(_ bytes: [UInt8], allowsDocumentType: Bool) {
        self.bytes = bytes
        self.allowsDocumentType = allowsDocumentType
    }

    /// Reads the single element of a text.
    static func read(
        _ bytes: [UInt8], allowsDocumentType: Bool = false
    ) throws(MarkupError) -> MarkupElement {
        var reader = MarkupReader(bytes, allowsDocumentType: allowsDocumentType)
        guard bytes.count <= MarkupLimits.bytes else {
            throw MarkupError(
                message:
                    "has more than \(MarkupLimits.bytes >> 20) MiB; no model file is so large.",
                place: .none, isLimit: true)
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw reader.invalidText()
        }
        try reader.checkCharacters()
        return try reader.document()
    }

    // MARK: - Elements

    private mutating func document() throws(MarkupError) -> MarkupElement {
        skip([0xEF, 0xBB, 0xBF])
        if starts(with: "<?xml ") { try declaration() }
        var root: MarkupElement?
        while position < bytes.count {
            let place = place
            guard skip(Array("<".utf8)) else {
                try text()
                continue
            }
            if skip(Array("!--".utf8)) {
                try comment(from: place)
            } else if skip(Array("/".utf8)) {
                if let finished = try endTag(at: place) { root = finished }
            } else if starts(with: "!DOCTYPE"), allowsDocumentType, root == nil, open.isEmpty {
                try documentType(from: place)
            } else if starts(with: "!") || starts(with: "?") {
                throw MarkupError(
                    message: "declarations, entities and instructions are not read; take it away.",
                    place: place)
            } else {
                guard root == nil else {
                    throw MarkupError(
                        message: "a second element follows the whole; take it away.", place: place)
                }
                if let finished = try startTag(at: place) { root = finished }
            }
        }
        if let last = open.last {
            throw MarkupError(message: "'\(last.name)' is not closed.", place: last.place)
        }
        guard let root else {
            throw MarkupError(message: "holds no element.", place: .init(line: 1, column: 1))
        }
        return root
    }

    /// Reads a start tag.
    ///
    /// - Returns: The element, if it has no end tag.
    private mutating func startTag(at place: SourcePlace) throws(MarkupError) -> MarkupElement? {
        guard open.count < MarkupLimits.depth else {
            throw MarkupError(
                message: "elements nest deeper than \(MarkupLimits.depth).", place: place,
                isLimit: true)
        }
        var element = MarkupElement(try name("an element"))
        element.place = place
        var names: Set<String> = []
        while true {
            let hasSpace = skipSpace()
            if skip(Array("/>".utf8)) { return close(element) }
            if skip(Array(">".utf8)) {
                open.append(element)
                return nil
            }
            guard hasSpace else { throw unexpected("in '\(element.name)'") }
            let attributePlace = self.place
            let name = try name("an attribute of '\(element.name)'")
            guard names.insert(name).inserted else {
                throw MarkupError(
                    message: "'\(name)' stands twice in '\(element.name)'; take one away.",
                    place: attributePlace)
            }
            guard names.count <= MarkupLimits.attributes else {
                throw MarkupError(
                    message:
                        "'\(element.name)' has more than \(MarkupLimits.attributes) attributes.",
                    place: attributePlace, isLimit: true)
            }
            skipSpace()
            guard skip(Array("=".utf8)) else { throw unexpected("behind '\(name)'") }
            skipSpace()
            element.attributes.append(.init(name: name, value: try quoted(of: name)))
        }
    }

    private mutating func endTag(at place: SourcePlace) throws(MarkupError) -> MarkupElement? {
        let name = try name("an element")
        skipSpace()
        guard skip(Array(">".utf8)) else { throw unexpected("in '</\(name)'") }
        guard let element = open.popLast() else {
            throw MarkupError(message: "'\(name)' was not opened.", place: place)
        }
        guard element.name == name else {
            throw MarkupError(
                message: "'\(element.name)' is open here, and '\(name)' is closed.", place: place)
        }
        return close(element)
    }

    private mutating func close(_ element: MarkupElement) -> MarkupElement? {
        guard !open.isEmpty else { return element }
        open[open.count - 1].children.append(element)
        return nil
    }

    // MARK: - Comments, text and declarations

    private mutating func declaration() throws(MarkupError) {
        let place = place
        guard let end = find("?>") else {
            throw MarkupError(message: "the XML declaration is not closed.", place: place)
        }
        let text = String(decoding: bytes[position..<end], as: UTF8.self)
        if let encoding = text.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/)?.output.1,
            encoding.uppercased() != "UTF-8"
        {
            throw MarkupError(
                message: "the encoding '\(encoding)' is not read; save the file as UTF-8.",
                place: place)
        }
        advance(to: end + 2)
    }

    private mutating func comment(from place: SourcePlace) throws(MarkupError) {
        guard let end = find("-->") else {
            throw MarkupError(message: "the comment is not closed.", place: place)
        }
        advance(to: end + 3)
    }

    /// Skips a document type declaration without declarations in it.
    private mutating func documentType(from place: SourcePlace) throws(MarkupError) {
        guard let end = find(">"), !bytes[position..<end].contains(UInt8(ascii: "[")) else {
            throw MarkupError(message: "the document type is not read.", place: place)
        }
        advance(to: end + 1)
    }

    private mutating func text() throws(MarkupError) {
        skipSpace()
        let place = place
        let text = Self.trimmed(try characters { $0 == UInt8(ascii: "<") })
        if text.isEmpty { return }
        guard !open.isEmpty else {
            throw MarkupError(message: "text stands outside of all elements.", place: place)
        }
        open[open.count - 1].text += text
    }
}
