public import Foundation

/// A URL as a keyed archive holds it: a text, and the URL that the text is relative to.
///
/// The text is kept as it is, because Foundation's `URL` may escape characters of it.
public struct ArchivedURL: Sendable, Hashable {
    /// The text, then those of its bases, the nearest first. Never empty.
    let texts: [String]

    init(texts: [String]) { self.texts = texts }

    /// Makes a URL from a text.
    public init(_ relative: String, base: ArchivedURL? = nil) {
        texts = [relative] + (base?.texts ?? [])
    }

    /// Makes a URL from one of Foundation's.
    public init(_ url: URL) {
        self.init(url.relativeString, base: url.baseURL.map { ArchivedURL($0) })
    }

    /// The text.
    public var relative: String { texts[0] }

    /// The URL that the text is relative to; nil for none.
    public var base: ArchivedURL? {
        texts.count > 1 ? ArchivedURL(texts: Array(texts.dropFirst())) : nil
    }

    /// Foundation's URL; nil when a text is not one.
    public var url: URL? {
        var url: URL?
        for text in texts.reversed() {
            guard let next = URL(string: text, relativeTo: url) else { return nil }
            url = next
        }
        return url
    }
}
