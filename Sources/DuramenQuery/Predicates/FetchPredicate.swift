/// A condition on managed objects: a value to build, print, compare, encode and hand to any store.
///
/// A predicate names properties by their names and knows no model; it is checked when it is bound
/// to an entity. See ``FetchExpression`` for what may be compared.
///
/// Null follows one law on every store: equality with null is ordinary equality (`x != 'a'` holds
/// for a null `x`); order, text, `between` and `in` comparisons with null are false; `not` of those
/// is true.
///
/// A predicate counts its levels while it is built. One that is nested too deeply, or has a path or
/// a list that is too long, loses its parts; every use refuses it with the error code `tooComplex`.
public struct FetchPredicate: Sendable, Hashable {
    /// The kinds of predicates, with their parts.
    public indirect enum Form: Sendable, Hashable, Codable {
        /// Always true, or always false.
        case constant(Bool)
        /// Compares two expressions.
        case comparison(PredicateComparison)
        /// Asks the objects at the end of a key path, whose last step is a to-many. A step before
        /// it may be a to-one; behind a null there is no object. Destinations that are missing are
        /// left out.
        case quantified(PredicateQuantifier, keyPath: [String], FetchPredicate)
        /// True when the predicate is false.
        case not(FetchPredicate)
        /// True when all are true; so for none.
        case and([FetchPredicate])
        /// True when one is true; false for none.
        case or([FetchPredicate])
    }

    /// The kind and parts of the predicate, to inspect it: `if case .not(let inner) =
    /// predicate.form`.
    ///
    /// A predicate that is too complex says `constant(false)`.
    public let form: Form
    let size: PredicateSize

    /// Creates a predicate from its form.
    public init(_ form: Form) {
        size = PredicateSize(of: form)
        self.form = size.excess == nil ? form : .constant(false)
    }
}

extension FetchPredicate {
    /// Always true, or always false.
    public static func constant(_ value: Bool) -> FetchPredicate { Self(.constant(value)) }

    /// Compares two expressions.
    public static func comparison(_ comparison: PredicateComparison) -> FetchPredicate {
        Self(.comparison(comparison))
    }

    /// Asks the objects at the end of a key path; see ``Form/quantified(_:keyPath:_:)``.
    public static func quantified(
        _ quantifier: PredicateQuantifier, keyPath: [String], _ condition: FetchPredicate
    ) -> FetchPredicate {
        Self(.quantified(quantifier, keyPath: keyPath, condition))
    }

    /// True when the predicate is false.
    public static func not(_ predicate: FetchPredicate) -> FetchPredicate { Self(.not(predicate)) }

    /// True if all parts are true, and for an empty list.
    public static func and(_ parts: [FetchPredicate]) -> FetchPredicate { Self(.and(parts)) }

    /// True if at least one part is true; false for an empty list.
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
