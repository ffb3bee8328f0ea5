/// A condition on managed objects: a value to build, print, compare, encode and hand to any store.
///
/// A predicate names properties by their names and knows no model; it is checked when it is bound to
/// an entity. See ``FetchExpression`` for what may be compared.
///
/// Null follows one law on every store: equality with null is ordinary equality (`x != 'a'` holds for
/// a null `x`); order, text, `between` and `in` comparisons with null are false; `not` of those is true.
public indirect enum FetchPredicate: Sendable, Hashable, Codable {
    /// Always true, or always false.
    case constant(Bool)
    /// Compares two expressions.
    case comparison(PredicateComparison)
    /// Asks the objects at the end of a key path, whose last step is a to-many. A step before it may
    /// be a to-one; behind a null there is no object. Destinations that are missing are left out.
    case quantified(PredicateQuantifier, keyPath: [String], FetchPredicate)
    /// True when the predicate is false.
    case not(FetchPredicate)
    /// True when all are true; so for none.
    case and([FetchPredicate])
    /// True when one is true; false for none.
    case or([FetchPredicate])
}
