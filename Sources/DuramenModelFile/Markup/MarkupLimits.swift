/// What a file may be at most. Models of the largest known applications take 100 kB and a depth of
/// 5.
enum MarkupLimits {
    static let bytes = 4 << 20
    static let depth = 256
    /// In one element.
    static let attributes = 256
    /// Of the name of an element or attribute.
    static let nameBytes = 1_024
}
