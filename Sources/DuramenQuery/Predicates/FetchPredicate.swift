/// A condition on managed objects, which you can build, print, compare, encode and pass to any
/// store.
///
/// A predicate names properties and does not know a model; it is checked when it is bound to an
/// entity. See ``FetchExpression`` for the values that you can compare.
///
/// Null has one meaning in every store. Equality with null is ordinary equality: `x != 'a'` is true
/// if `x` is null. Order, text, `between` and `in` comparisons with null are false, and their
/// negation is true.
///
/// The size of a predicate is checked while it is built. A predicate with too many levels, or with
/// a path or list that is too long, loses its parts. Every use of it fails with the error code
/// `tooComplex`.
public struct FetchPredicate: Sendable, Hashable {
    /// The kinds of predicates, with their parts.
    public indirect enum Form: Sendable, Hashable, Codable {
        /// Always true, or always false.
        case constant(Bool)
        /// Compares two expressions.
        case comparison(PredicateComparison)
        /// Applies a condition to the objects at the end of a key path, whose last step is a
        /// to-many. Earlier steps may be to-ones; if one is null, there are no objects. Missing
        /// destinations are ignored.
        case quantified(PredicateQuantifier, keyPath: [String], FetchPredicate)
        /// True if the predicate is false.
        case not(FetchPredicate)
        /// True if all parts are true, and for an empty list.
        case and([FetchPredicate])
        /// True if at least one part is true; false for an empty list.
        case or([FetchPredicate])
    }

    /// The kind and parts of the predicate, for inspection: `if case .not(let inner) =
    /// predicate.form`.
    ///
    /// The form of a predicate that is too complex is `constant(false)`.
    public let form: Form
    let size: PredicateSize

    /// Creates a predicate from its form.
    public init(_ form: Form) {
        size = PredicateSize(of: form)
        self.form = size.excess == nil ? form : .constant(false)
    }
}

extension FetchPredicate {
    /// Creates a predicate that is always true, or always false.
    public static func constant(_ value: Bool) -> FetchPredicate { Self(.constant(value)) }

    /// Creates a predicate that compares two expressions.
    public static func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        Self(.comparison(comparison))
    }

    /// Creates a condition on the objects of a to-many; see ``Form/quantified(_:keyPath:_:)``.
    public static func quantified(
        _ quantifier: PredicateQuantifier, keyPath: [String], _ condition: FetchPredicate
    ) -> FetchPredicate {
        Self(.quantified(quantifier, keyPath: keyPath, condition))
    }

    /// Creates a predicate that is true if the given predicate is false.
    public static func not(_ predicate: FetchPredicate) -> FetchPredicate { Self(.not(predicate)) }

    /// Creates a predicate that is true if all parts are true, and for an empty list.
    public static func and(_ parts: [FetchPredicate]) -> FetchPredicate { Self(.and(parts)) }

    /// Creates a predicate that is true if at least one part is true; false for an empty list.
    public static func or(_ parts: [FetchPredicate]) -> FetchPredicate { Self(.or(parts)) }
}

extension FetchPredicate: Codable {
    /// Decodes a predicate.
    public init(from decoder: any Decoder) throws {
        try PredicateSize.checkDepth(of: decoder)
        self.init(try Form(from: decoder))
    }

    /// Encodes the predicate.
    ///
    /// - Throws: `EncodingError` for a predicate that is too complex.
    public func encode(to encoder: any Encoder) throws {
        try size.checkEncoding(to: encoder)
        try form.encode(to: encoder)
    }
}
