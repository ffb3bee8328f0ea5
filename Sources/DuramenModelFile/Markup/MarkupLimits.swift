/// The limits of model files. Models of the largest known applications have 100 kB and a depth of
/// 5.
enum MarkupLimits {
    static let bytes = 4 << 20
    static let depth = 256
    /// The maximum number of attributes of one element.
    static let attributes = 256
    /// The maximum length of the name of an element or attribute.
    static let nameBytes = 1_024
}
